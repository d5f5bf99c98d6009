"""An eval-set file that is changed: what nobody touched stays as it was written, and the file is replaced whole or not at all."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from adjudge.kit.adk import case_from_adk, case_to_adk, open_eval_set
from adjudge.kit.strict_json import parse_json
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase
from adjudge.plugin import InputError, Problem

_MOST: Final = 100
"""Characters of an id that is made from the name of something else."""


class EvalSetDocument:
    """The JSON of an eval set, with its cases as they stand there."""

    def __init__(self, path: Path, data: JsonObject, read: bytes | None) -> None:
        """The document of ``path``; ``read`` is what the file held, ``None`` where it is new."""
        self.path = path
        self._data = data
        self._read = read
        self._key = "evalCases" if "evalCases" in data else "eval_cases"

    @classmethod
    def opened(cls, path: Path) -> EvalSetDocument:
        """The document of a file that is sound.

        Raises:
            InputError: the file cannot be read, has problems, or is in a shape from before ADK's schema.
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
        """The document of a file that does not exist yet.

        Raises:
            InputError: it does exist.
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
        """The cases as they stand in the file."""
        return tuple(self._data.get(self._key) or ())

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the cases, in order."""
        return tuple(map(id_of, self.cases))

    def sound_cases(self) -> list[EvalCase]:
        """The cases as adjudge's model has them."""
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
        """Put another case in the place of one.

        Raises:
            InputError: it is no sound case, or another case has its id.
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
            InputError: the file was changed since it was opened, or it cannot be written; it is as it was.
        """
        # A link stays a link: what it leads to is replaced.
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
    """The id of a case as it stands in a file, in either spelling."""
    found: Any = case.get("eval_id", case.get("evalId"))
    return str(found)


def id_from(name: str) -> str:
    """An id made of what something is called: letters, digits, ``_``, ``-`` and dots stay."""
    kept = "".join(char if char.isalnum() or char in "_-." else "_" for char in name).strip("_.")
    return kept[:_MOST] or "case"


def write_whole(path: Path, text: str, *, shown: Path | None = None) -> None:
    """Write a file whole or not at all; the permissions of one that is replaced stay.

    Raises:
        InputError: it cannot be written.
    """
    # Beside the target, so that the last step is a rename within one file system.
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
