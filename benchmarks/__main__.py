"""All benchmarks of `make bench`: ratios measured side by side in this run, kept for the next."""

from benchmarks import (
    chance_speed,
    footprint,
    imaging,
    many_samples,
    many_samples_around,
    minimum,
    potential_speed,
    reading,
    record,
    relatives,
    speed,
    timing,
)

speed.main()
relatives.main()
many_samples.main()
many_samples_around.main()
potential_speed.main()
chance_speed.main()
minimum.main()
imaging.main()
reading.main()
footprint.main()

before = record.last_run()
print(f"\nRatios of this run are kept in bench/{record.save(timing.rows).name}")
if before is None:
    print("There is no earlier run to compare with.")
else:
    print(f"Ratios now, in the run of {before['date']} ({before['commit']}), and their quotient")
    print("\n".join(record.compare(timing.rows, before["rows"])))
