"""Eval-set files of any size: they are validated in one pass; afterwards any case can be read on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.adk.case import read_case, read_kept_case
from adjudge.adk.json_input import digest_of, open_file, parse_json
from adjudge.adk.legacy import id_from_name, read_old_case, read_old_turns
from adjudge.adk.validation import Findings, is_list, listed
from adjudge.errors import InputError, Problem, did_you_mean
from adjudge.model.base import JsonObject
from adjudge.model.eval_set import EvalCase

Shape: TypeAlias = Literal["eval_set", "kept", "old_turns", "old_cases"]
"""The format: ADK's schema, a stored ``EvalSet`` object (``kept_eval_set``), or one of the two older formats."""

Identity: TypeAlias = tuple[int, int, int, int] | None
"""Device, inode, size and modification time of a file, to detect changes; ``None`` if the file does not exist."""


def identity_of(path: Path) -> Identity:
    """The identity of a file, without reading it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEntry:
    """Facts about one case whose content is not in memory."""

    eval_id: str
    turns: int
    """0 for a scenario."""
    is_scenario: bool
    has_persona: bool
    """Whether it is a scenario with a persona."""
    has_reference_response: bool
    """Whether a turn has a non-blank final response."""
    has_reference_intermediate: bool
    """Whether a turn has an expected text of a sub-agent."""
    has_final_session_state: bool
    has_rubrics: bool
    """Whether the case or one of its turns has rubrics."""
    has_state: bool
    """Whether the session starts with a non-empty state."""
    app_name: str
    """Empty if the case names no application."""
    index: int
    """The position in the file, from 0."""
    offset: int
    """The position of the case in the file, in bytes."""
    length: int
    """Its length in bytes."""
    digest: bytes | None
    """The hash of these bytes; ``None`` if the case is the whole file: ``sha256`` is its hash."""
    case: EvalCase | None = None
    """The case itself if it is near the beginning of the file, so that short files are not parsed twice."""


@dataclass(frozen=True, kw_only=True)
class EvalSetFile:
    """A validated eval-set file. Cases of a large file stay on disk until they are read."""

    path: Path
    identity: Identity
    """The identity of the file when it was opened."""
    shape: Shape
    eval_set_id: str
    name: str | None
    description: str | None
    creation_timestamp: float | None
    """Unix time in seconds; ``None`` if the file has none."""
    extra: JsonObject | None
    warnings: tuple[str, ...]
    entries: Sequence[CaseEntry]
    sha256: str
    """SHA-256 of the file."""

    @property
    def given_id(self) -> str | None:
        """The ``eval_set_id`` in the file; ``None`` for the older formats, whose id is made from the file name."""
        return self.eval_set_id if self.shape in ("eval_set", "kept") else None

    def __iter__(self) -> Iterator[EvalCase]:
        """The cases in order, one at a time."""
        for entry in self.entries:
            yield self.read(entry)

    def read(self, entry: CaseEntry) -> EvalCase:
        """Read one case.

        Raises:
            InputError: the file was removed or changed since it was opened.
        """
        if entry.case is not None and identity_of(self.path) == self.identity:
            return entry.case
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


def read_one(data: object, shape: Shape, index: int, path: Path, findings: Findings) -> EvalCase:
    """Read the case at ``index`` of a file of that shape."""
    match shape:
        case "eval_set":
            return read_case(data, f"$.eval_cases[{index}]", findings)
        case "kept":
            return read_kept_case(data, f"$.eval_cases[{index}]", findings)
        case "old_cases":
            return read_old_case(data, f"$[{index}]", findings)
        case "old_turns":
            return read_old_turns(id_from_name(path), data if is_list(data) else [], "$", findings)
