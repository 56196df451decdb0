"""PLINK 1 binary files: two bits per genotype, one variant after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._solvers.columns import BlockError
from fewest._wording import visible
from fewest.stores._files import FileSource, edges_of
from fewest.tables._errors import DamagedFileError, InputError, MissingFileError

_MAGIC = b"\x6c\x1b\x01"  # the last byte: one variant after the other
# Copies of the first allele by code: 00 two, 01 missing, 10 one, 11 none.
_MISSING = 1
_CODES = (np.arange(256, dtype=np.uint8)[:, None] >> np.array([0, 2, 4, 6], np.uint8)) & 3
_COPIES = np.array([2.0, np.nan, 1.0, 0.0], dtype=np.float32)[_CODES]
# The four genotypes of every byte, the lowest bits first; as one number of 16 bytes, found faster.
_OF_BYTE = np.ascontiguousarray(_COPIES).view(np.complex128).ravel()
_SUM_OF_BYTE = np.nansum(_COPIES, axis=1).astype(np.uint8)
_GAPS_OF_BYTE = np.sum(_CODES == _MISSING, axis=1).astype(np.uint8)


class BedSource(FileSource):
    """Copies of the first allele, 0, 1 or 2; a missing genotype is the mean of its variant."""

    def __init__(self, path: Path, n_samples: int, n_variants: int, memory: int) -> None:
        super().__init__(path, "", (n_samples, n_variants), np.float32)
        self._line = (n_samples + 3) // 4  # bytes per variant
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
        if start != _MAGIC:
            reason = "it has samples in rows" if start == b"\x6c\x1b\x00" else "its first bytes"
            advice = "Write it again with plink --make-bed."
            raise DamagedFileError(path, "a PLINK 1 .bed file by variants", reason, advice)
        expected, size = len(_MAGIC) + self._line * n_variants, path.stat().st_size
        if size != expected:
            raise InputError(
                f"{self.name} has {size:,} bytes, but {n_samples:,} people (.fam) and "
                f"{n_variants:,} variants (.bim) take {expected:,}: the three files do not belong "
                "together, or one was cut off."
            )
        self.memory = memory
        self.row_edges = np.array([0, n_samples])  # whole variants, whose mean fills gaps
        width = max(1, memory // (n_samples * self.dtype.itemsize))
        self.column_edges = edges_of(n_variants, width)

    def read(self, rows: slice, columns: slice) -> NDArray[np.float32]:
        n, count = self.shape[0], columns.stop - columns.start
        with self.path.open("rb", buffering=0) as file:
            file.seek(len(_MAGIC) + self._line * columns.start)
            packed = file.read(self._line * count)
        if len(packed) != self._line * count:
            raise BlockError("the file ends early: it became shorter while it was read")
        codes = np.frombuffer(packed, dtype=np.uint8).reshape(count, self._line)
        if n % 4:  # what fills up the last byte is nobody's
            codes = codes.copy()
            codes[:, -1] |= np.uint8(0xFF << 2 * (n % 4) & 0xFF)
        return _decode(codes, n)[:, :n].T[rows]


def _decode(codes: NDArray[np.uint8], n: int) -> NDArray[np.float32]:
    """Copies of one variant per row; its mean (or zero, if all are missing) in place of gaps."""
    values = np.take(_OF_BYTE, codes).view(np.float32)
    gaps = np.take(_GAPS_OF_BYTE, codes)
    known = n - gaps.sum(axis=1, dtype=np.int64)
    total = np.take(_SUM_OF_BYTE, codes).sum(axis=1, dtype=np.int64)
    mean = (total / np.maximum(known, 1)).astype(np.float32)
    lines, places = np.nonzero(gaps)  # bytes with a gap
    four = values.reshape(*codes.shape, 4)
    own = four[lines, places]
    four[lines, places] = np.where(np.isnan(own), mean[lines, None], own)
    return values


def open_bed(path: Path, memory: int) -> tuple[BedSource, _People]:
    """The genotypes, and what the .fam file says about the people."""
    people = _People(path.with_suffix(".fam"))
    n_variants = _count_lines(path.with_suffix(".bim"))
    return BedSource(path, len(people.ids), n_variants, memory), people


def read_variants(path: Path) -> NDArray[Any]:
    """Names of the variants; those without one (a dot) are called chromosome:position."""
    names = []
    with path.with_suffix(".bim").open() as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) < 4:
                raise InputError(f"line {number:,} of {visible(file.name)} has too few fields.")
            names.append(fields[1] if fields[1] != "." else f"{fields[0]}:{fields[3]}")
    return np.array(names, dtype=object)


class _People:
    """The .fam file: one line per person."""

    def __init__(self, path: Path) -> None:
        lines = [line.split() for line in _read(path).splitlines()]
        short = next((place for place, line in enumerate(lines, 1) if len(line) < 6), None)
        if short is not None:
            raise InputError(f"line {short:,} of {visible(path)} has fewer than six fields.")
        self.families = np.array([line[0] for line in lines])
        self.ids = np.array([line[1] for line in lines])
        self.labels = {
            "population": self.families,
            "sex": np.array([line[4] for line in lines]),
            "phenotype": np.array([_PHENOTYPES.get(line[5], line[5]) for line in lines]),
        }


_PHENOTYPES = {"1": "control", "2": "case", "0": "", "-9": ""}


def _count_lines(path: Path) -> int:
    _check_exists(path)
    with path.open("rb") as file:
        return sum(1 for line in file if line.strip())


def _read(path: Path) -> str:
    _check_exists(path)
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{visible(path)} cannot be read: {error}") from error


def _check_exists(path: Path) -> None:
    if not path.exists():
        raise MissingFileError(
            f"the file {visible(path)} does not exist: a .bed file needs its .bim and .fam beside "
            "it, with the same name."
        )
