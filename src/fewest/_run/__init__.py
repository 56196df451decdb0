"""What long work needs: progress, checkpoints, files that appear whole or not at all."""
