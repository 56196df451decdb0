"""All benchmarks of `make bench`: ratios measured side by side in this run."""

from benchmarks import footprint, relatives, speed

speed.main()
relatives.main()
footprint.main()
