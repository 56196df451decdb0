"""The kinds of cases: one file each, with a function `check(case, folder)`.

It draws everything from the number of the case, may write to the (empty) folder, and raises a
`Failure` where the library is at fault. Where only many cases together show a fault, it returns
`Chance`s, which are summed over all cases.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of case: how often it is tried, what it counts as, and how long a case may take."""

    name: str
    counts_as: str
    share: int
    seconds: float = 120.0

    @property
    def module(self) -> str:
        return f"fuzzing.kinds.{self.name}"


# The shares say how many cases of each kind a round has; a kill takes as long as 100 programs.
KINDS = (
    Kind("programs", "programs", 110),
    Kind("joint", "programs", 50),
    Kind("machines", "programs", 40),
    Kind("minima", "minima", 6),
    Kind("ruled_minima", "minima", 5),
    Kind("minima_with_errors", "minima", 5),
    Kind("near_minima", "minima", 4),
    Kind("hasty_minima", "minima", 5),
    Kind("prices", "minima", 40),
    Kind("all_rules", "minima", 30),
    Kind("forged_results", "proofs", 40),
    Kind("time_limits", "limits", 3, seconds=300.0),
    Kind("psvm", "P-SVMs", 20),
    Kind("model_file", "files", 26),
    Kind("checkpoint_folder", "files", 20),
    Kind("npz_file", "files", 26),
    Kind("h5ad_file", "files", 26),
    Kind("xlsx_file", "files", 26),
    Kind("csv_file", "files", 36),
    Kind("parquet_file", "files", 26),
    Kind("nifti_file", "files", 14),
    Kind("verdicts", "verdicts", 20),
    Kind("kills", "kills", 1, seconds=400.0),
)
BY_NAME = {kind.name: kind for kind in KINDS}
