"""Excel workbooks (.xlsx, .xlsm), through pandas and openpyxl."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from fewest._wording import listed, near, quoted, visible
from fewest.tables._columns import MISSING_CELLS, import_pandas, list_names, make_frame
from fewest.tables._errors import DamagedFileError, InputError, MissingPackageError
from fewest.tables._frame import Frame, Request

if TYPE_CHECKING:
    import pandas

# Which error openpyxl raises for a damaged workbook depends on where the damage is.
_DAMAGE = (
    *(OSError, EOFError, ValueError, KeyError, SyntaxError),
    *(zlib.error, zipfile.BadZipFile),
)


def read_excel(file: Path, request: Request) -> Frame:
    """Read one sheet, the first one unless another is asked for; its first row has the names."""
    cells, others = _read_sheet(file, request.sheet)
    if cells.empty:
        raise InputError(f"the sheet of {visible(file)} is empty: it needs a row of names first.")
    # The names turned every column into text; below them each column has its own type.
    below = cells.iloc[1:].reset_index(drop=True).infer_objects()
    return make_frame([below], list_names(cells.iloc[0]), request, file, other_sheets=others)


def _read_sheet(file: Path, asked: str | None) -> tuple[pandas.DataFrame, str]:
    """All cells of a sheet, and a sentence about the other sheets if none was asked for."""
    pandas = import_pandas(file)
    try:
        with pandas.ExcelFile(file, engine="openpyxl") as workbook:
            sheets = [str(name) for name in workbook.sheet_names]
            if asked is not None and asked not in sheets:
                raise InputError(
                    f"{visible(file)} has no sheet {quoted(asked)}.\n"
                    f"{near(asked, sheets, 'sheet')}",
                    argument="sheet",
                )
            sheet = sheets[0] if asked is None else asked
            cells = pandas.read_excel(
                workbook, sheet, header=None, keep_default_na=False, na_values=MISSING_CELLS
            )
    except ImportError as error:
        raise MissingPackageError(file, "openpyxl") from error
    except InputError:
        raise
    except _DAMAGE as error:
        advice = "Save it again as .xlsx, or export the sheet as CSV."
        raise DamagedFileError(file, "an Excel workbook", error, advice) from error
    if asked is None and len(sheets) > 1:
        return (
            cells,
            f"Read the first sheet, {quoted(sheet)}; there are also: {listed(sheets[1:])}.",
        )
    return cells, ""
