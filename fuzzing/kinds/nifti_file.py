"""NIfTI images, packed or not: damaged bytes, and header fields and values that make no sense."""

from __future__ import annotations

import contextlib
import gzip
import io
import random
from functools import cache
from pathlib import Path

import nibabel
import numpy as np

from fewest.neuro import FewestVoxels
from fuzzing.mutations.raw import damage
from fuzzing.outcome import require
from fuzzing.tables import run_command

_SHAPE, _VOLUMES = (4, 4, 3), 16
# Offset, type and name of the fields of the header that a reader has to believe.
_FIELDS = (
    *((0, "<i4", "sizeof_hdr"), (40, "<i2", "dim"), (42, "<i2", "dim"), (44, "<i2", "dim")),
    *((46, "<i2", "dim"), (48, "<i2", "dim"), (70, "<i2", "datatype"), (72, "<i2", "bitpix")),
    *((76, "<f4", "pixdim"), (80, "<f4", "pixdim"), (108, "<f4", "vox_offset")),
    *((112, "<f4", "scl_slope"), (116, "<f4", "scl_inter"), (252, "<i2", "qform_code")),
    *(
        (254, "<i2", "sform_code"),
        (256, "<f4", "quatern"),
        (280, "<f4", "srow"),
        (296, "<f4", "srow"),
    ),
    *((312, "<f4", "srow"), (344, "<i4", "magic"), (348, "<i4", "extension")),
)
_INTEGERS = (-32768, -1, 0, 1, 2, 3, 5, 7, 8, 16, 32, 64, 128, 255, 512, 768, 1024, 2304, 32767)
_FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e-45, 1e30, 1e9, 352.5, 1.0)
_TYPES = ("u1", "i2", "i4", "f4", "f8", "i8", "u2", "c8")


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"nifti {case}")
    packed = rng.random() < 0.5
    path = folder / ("bold.nii.gz" if packed else "bold.nii")
    content = _whole(rng.choice(_TYPES))
    if rng.random() < 0.6:
        content = _change_header(rng, content)
    elif rng.random() < 0.5:
        content = damage(rng, content)
    else:
        content = _change_values(rng, content)
    if packed:
        content = gzip.compress(content, compresslevel=1, mtime=0)
        if rng.random() < 0.3:
            content = damage(rng, content)
    path.write_bytes(content)
    labels = folder / "labels.txt"
    labels.write_text("\n".join(_labels()) + "\n")
    refused = _check_library(path)
    out = folder / "found"
    arguments = ["brain", str(path), "--labels", str(labels), "--out", str(out), "--cv", "0"]
    code, _ = run_command([*arguments, "--no-report", "--no-figures", "--quiet"])
    require(out.exists() == (code == 0), f"exit code {code}, and the folder {out.exists()}", "lost")
    if refused:
        require(code != 0, "the library refuses the images, the command does not")


def _check_library(path: Path) -> bool:
    """Whether the images are refused; if not, the answer must be sane."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            decoder = FewestVoxels(cv=0).fit(str(path), _labels())
    except (ValueError, FileNotFoundError) as error:  # nilearn's own errors are ValueErrors too
        require(str(error), "an error without a message")
        return True
    require(np.isfinite(decoder.coef_img_.get_fdata()).all(), "weights are not finite")
    require(decoder.coef_img_.shape[:3] == decoder.mask_img_.shape[:3], "another grid")
    return False


def _labels() -> list[str]:
    return ["face", "house"] * (_VOLUMES // 2)


@cache
def _whole(dtype: str) -> bytes:
    rng = np.random.default_rng(0)
    data = rng.normal(100.0, 3.0, size=(*_SHAPE, _VOLUMES))
    data[2, 1, 1, 1::2] += 20.0
    image = nibabel.Nifti1Image(data.astype(dtype), np.diag([3.0, 3.0, 3.0, 1.0]), dtype=dtype)
    return image.to_bytes()


def _change_header(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4))):
        offset, dtype, _ = rng.choice(_FIELDS)
        value = rng.choice(_INTEGERS if "i" in dtype else _FLOATS)
        new = np.array(value, dtype=dtype).tobytes()
        changed[offset : offset + len(new)] = new
    return bytes(changed)


def _change_values(rng: random.Random, content: bytes) -> bytes:
    """Some values, or all of one volume or voxel, as extreme bit patterns."""
    changed = bytearray(content)
    pattern = rng.choice(
        (b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\xff\xff\x7f\x7f", b"\0\0\0\0")
    )
    start = rng.randrange(352, len(changed))
    for place in range(start, len(changed) - 4, rng.choice((4, 48 * 4, 400))):
        changed[place : place + 4] = pattern
    return bytes(changed)
