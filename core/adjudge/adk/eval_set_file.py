"""Eval-set files of any size: one validating pass, then any case on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudge.adk.eval_set_pass import CaseEntry, Found, ValidatingPass, read_one
from adjudge.adk.json_input import JsonStream, digest_of, open_file, parse_json
from adjudge.adk.validation import Findings, listed
from adjudge.errors import InputError, Problem, did_you_mean
from adjudge.model.eval_set import EvalCase


@dataclass(frozen=True, kw_only=True)
class EvalSetFile(Found):
    """An eval-set file that has been validated. Its cases stay on disk until they are read."""

    path: Path

    def __iter__(self) -> Iterator[EvalCase]:
        """The cases in order, one at a time."""
        for entry in self.entries:
            yield self.read(entry)

    def read(self, entry: CaseEntry) -> EvalCase:
        """One case.

        Raises:
            InputError: the file is gone or was changed since it was opened.
        """
        with open_file(self.path) as file:
            file.seek(entry.offset)
            text = file.read(entry.length)
            if entry.digest is not None:
                same = digest_of(text) == entry.digest
            else:
                file.seek(0)
                same = hashlib.sha256(file.read()).hexdigest() == self.sha256
        if not same:
            raise InputError(
                Problem(
                    what="the file was changed since it was opened.",
                    file=str(self.path),
                    case=entry.eval_id,
                    hint="Start again.",
                )
            )
        data = parse_json(text, source=str(self.path))
        return read_one(data, self.shape, entry.index, self.path, Findings(str(self.path)))

    def select(self, ids: Iterable[str]) -> list[CaseEntry]:
        """The cases with these ids, in the order of the file.

        Raises:
            InputError: the file has no case with one of the ids.
        """
        known = {entry.eval_id: entry for entry in self.entries}
        wanted = dict.fromkeys(ids)
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise InputError(
                [
                    Problem(
                        what=f"there is no case {name!r}.{did_you_mean(name, known)}",
                        file=str(self.path),
                        hint=f"It has {listed(list(known))}.",
                    )
                    for name in unknown
                ]
            )
        return [entry for entry in self.entries if entry.eval_id in wanted]


def open_eval_set(path: Path) -> EvalSetFile:
    """Validate a file of any of the three shapes in one pass, in the memory of its largest case.

    Raises:
        InputError: every problem of the file, the first twenty in words.
    """
    with open_file(path) as file:
        cases = ValidatingPass(path, JsonStream(file, str(path))).cases()
        while True:
            try:
                next(cases)
            except StopIteration as end:
                found: Found = end.value
                return EvalSetFile(path=path, **vars(found))
