"""An eval-set file for editing. Unchanged parts keep their spelling; the file is replaced completely or not at all."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from adjudge.kit.adk import case_from_adk, case_to_adk, open_eval_set
from adjudge.kit.strict_json import parse_json
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.plugin import InputError, Problem

_ID: Final = re.compile(r"[A-Za-z0-9_]+")
_MOST: Final = 100
"""The maximum length of a generated id in characters."""


class EvalSetDocument:
    """The JSON of an eval set, with its cases as written in the file."""

    def __init__(self, path: Path, data: JsonObject, read: bytes | None) -> None:
        """Create the document of ``path``; ``read`` is the content of the file, ``None`` if it is new."""
        self.path = path
        self._data = data
        self._read = read
        self._key = "evalCases" if "evalCases" in data else "eval_cases"

    @classmethod
    def opened(cls, path: Path) -> EvalSetDocument:
        """Open a valid file.

        Raises:
            InputError: the file cannot be read, has problems, or has a format older than ADK's schema.
        """
        if open_eval_set(path, may_be_empty=True).given_id is None:
            raise InputError(
                Problem(
                    what="this file is in a shape from before ADK's schema, which cannot be changed in place.",
                    file=str(path),
                    hint=f"Write it anew first: adjudge evalset migrate {path} NEW.evalset.json",
                )
            )
        read = path.read_bytes()
        return cls(path, parse_json(read, source=str(path)), read)

    @classmethod
    def new(cls, path: Path, eval_set_id: str) -> EvalSetDocument:
        """Create a document for a new file.

        Raises:
            InputError: the file exists.
        """
        if path.exists() or path.is_symlink():
            raise InputError(
                Problem(
                    what="the file exists.", file=str(path), hint="Add cases to it, or choose another name."
                )
            )
        return cls(path, {"eval_set_id": eval_set_id, "name": eval_set_id, "eval_cases": []}, None)

    @property
    def cases(self) -> Sequence[JsonObject]:
        """The cases as written in the file."""
        return tuple(self._data.get(self._key) or ())

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the cases, in order."""
        return tuple(map(id_of, self.cases))

    def sound_cases(self) -> list[EvalCase]:
        """The cases converted to the model."""
        return [case_from_adk(case) for case in self.cases]

    def add(self, case: EvalCase) -> None:
        """Add a case at the end.

        Raises:
            InputError: the file has a case with its id.
        """
        if case.eval_id in self.ids:
            raise InputError(
                Problem(
                    what=f"there is a case {case.eval_id!r} already.",
                    file=str(self.path),
                    hint="Choose another id: --id.",
                )
            )
        self._data[self._key] = [*self.cases, case_to_adk(case)]

    def remove(self, ids: Iterable[str]) -> None:
        """Remove the cases with these ids, which the file has."""
        gone = set(ids)
        self._data[self._key] = [case for case in self.cases if id_of(case) not in gone]

    def replace(self, eval_id: str, case: JsonObject) -> None:
        """Replace a case.

        Raises:
            InputError: the new case is invalid, or another case has its id.
        """
        index = self.ids.index(eval_id)
        others = {name for name in self.ids if name != eval_id}
        try:
            checked = case_from_adk(case)
        except InputError as error:
            raise InputError(
                [dataclasses.replace(found, file=str(self.path), case=eval_id) for found in error.problems]
            ) from None
        if checked.eval_id in others:
            raise InputError(
                Problem(
                    what=f"there is a case {checked.eval_id!r} already.", file=str(self.path), case=eval_id
                )
            )
        self._data[self._key] = [*self.cases[:index], case, *self.cases[index + 1 :]]

    def save(self) -> None:
        """Write the file.

        Raises:
            InputError: the file was changed since it was opened, or cannot be written. It is then unchanged.
        """
        # Keep a link, and replace its target.
        target = self.path.resolve()
        if self._held(target) != self._read:
            raise InputError(
                Problem(
                    what="the file was changed since it was opened; nothing is written.",
                    file=str(self.path),
                    hint="Start again.",
                )
            )
        write_whole(
            target,
            json.dumps(self._data, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
            shown=self.path,
        )

    def _held(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def id_of(case: JsonObject) -> str:
    """The id of a case in the JSON of a file, with the key in snake_case or camelCase."""
    found: Any = case.get("eval_id", case.get("evalId"))
    return str(found)


def checked_id(eval_set_id: str) -> str:
    """Check the id of an eval set, which is also the name of its file, and return it.

    Raises:
        InputError: ADK would reject it.
    """
    if _ID.fullmatch(eval_set_id) is None:
        raise InputError(
            Problem(
                what=f"{eval_set_id!r} can be no id of an eval set.",
                hint="ADK takes letters, digits and _ alone.",
            )
        )
    return eval_set_id


def id_from(name: str) -> str:
    """Make an id from a name: letters, digits, ``_``, ``-`` and dots are kept."""
    kept = "".join(char if char.isalnum() or char in "_-." else "_" for char in name).strip("_.")
    return kept[:_MOST] or "case"


def write_whole(path: Path, text: str, *, shown: Path | None = None) -> None:
    """Write a file completely or not at all; a replaced file keeps its permissions.

    Raises:
        InputError: it cannot be written.
    """
    # In the folder of the target, so that it can be renamed in the same file system.
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    except OSError as error:
        raise InputError(
            Problem(what=f"cannot be written: {error.strerror}.", file=str(shown or path))
        ) from None
    finally:
        partial.unlink(missing_ok=True)
