"""Calibration files, as written by ``adjudge agreement --fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from adjudge.errors import InputError, Problem, json_path
from adjudge.kit.calibration.document import Calibration, Calibrations
from adjudge.kit.strict_json import read_json

_HOW: Final = "'adjudge agreement RESULTS LABELS --fit FILE.json' writes one."


def read_calibrations(path: Path) -> tuple[Calibration, ...]:
    """Read the calibrations in a file.

    Raises:
        InputError: the file cannot be read, is not JSON, or is not a file of calibrations.
    """
    data: object = read_json(path)
    try:
        found = Calibrations.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        what = f"this is no file of calibrations: {first['msg']}"
        raise InputError(
            Problem(what=what, file=str(path), path=json_path(first["loc"]), hint=_HOW)
        ) from None
    if not found.calibrations:
        raise InputError(Problem(what="there is no calibration in it", file=str(path), hint=_HOW))
    return found.calibrations
