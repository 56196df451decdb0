"""All benchmarks of `make bench`: ratios measured side by side in this run."""

from benchmarks import footprint, speed

speed.main()
footprint.main()
