"""All benchmarks of `make bench`: ratios measured side by side in this run."""

from benchmarks import (
    chance_speed,
    footprint,
    imaging,
    minimum,
    potential_speed,
    reading,
    relatives,
    speed,
)

speed.main()
relatives.main()
potential_speed.main()
chance_speed.main()
minimum.main()
imaging.main()
reading.main()
footprint.main()
