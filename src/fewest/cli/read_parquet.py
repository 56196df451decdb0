"""Parquet, through pandas and pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fewest.cli.dataset import Dataset
from fewest.cli.errors import InputError
from fewest.cli.frame import check_columns, dataset_from_frame, import_pandas
from fewest.cli.wording import visible


def read_parquet(file: Path, target: str | None, drop: Sequence[str]) -> Dataset:
    """Read a table; an index that pandas stored in it is not a feature."""
    pandas = import_pandas(file)
    try:
        frame = pandas.read_parquet(file)
    except ImportError as error:
        raise InputError(
            f'reading {visible(file)} needs pyarrow: pip install "fewest[cli]"'
        ) from error
    except (OSError, ValueError, NotImplementedError) as error:
        raise InputError(
            f"{visible(file)} is damaged, or not a Parquet file ({visible(error)}).\n"
            "Copy or write it again."
        ) from error
    names = [str(name) for name in frame.columns]
    check_columns(names, target, drop, visible(file))
    return dataset_from_frame(frame, names, target, drop, file)
