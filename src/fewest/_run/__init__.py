"""Tools for long runs: progress, checkpoints, files that appear complete or not at all."""
