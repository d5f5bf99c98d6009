"""Pairs recordings with cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from adjudge.plugin import CaseFacts, did_you_mean
from adjudge_plugins.agents.recorded_agent.store import Recordings

_NAMED: Final = 20
"""The number of cases that messages of one kind name; with a file for another eval set it could be thousands."""

_PATH_OF_A_FILE: Final = re.compile(r"(?:.*[/\\])?([^/\\]+?)(?:\.evalset|\.test)?\.json\Z", re.DOTALL)


class Pairing:
    """Pairs a case and a recording by ``eval_id``, else by the file name in it; else one case and one recording."""

    def __init__(self, recordings: Recordings, source: str) -> None:
        """Pair cases with ``recordings``, which come from the file ``source``."""
        self._recordings = recordings
        self._source = source
        self._of_files: dict[str, list[str]] | None = None
        self._only: dict[str, str] = {}
        self.notes: Sequence[str] = ()
        """Messages about pairs whose ids differ. Complete after ``problems`` is exhausted."""

    def recording_of(self, eval_id: str) -> str | None:
        """The ``eval_id`` of the recording for a case; ``None`` if there is none."""
        if self._recordings.count(eval_id):
            return eval_id
        if eval_id in self._only:
            return self._only[eval_id]
        # For a file with a plain list of turns, ADK's id is the path of the file, and adjudge's the file name
        # alone.
        if self._of_files is None:
            self._of_files = {}
            for known in self._recordings.ids():
                self._of_files.setdefault(_file_name(known), []).append(known)
        same = self._of_files.get(_file_name(eval_id), [])
        return same[0] if len(same) == 1 else None

    def problems(self, cases: Iterable[CaseFacts]) -> Iterator[str]:
        """Report every case that has no recording, or fewer recordings than repeats."""
        total = 0
        renamed: list[str] = []
        absent: list[CaseFacts] = []
        for case in cases:
            total += 1
            recorded = self.recording_of(case.eval_id)
            if recorded is None:
                absent.append(case)
                continue
            if recorded != case.eval_id:
                renamed.append(
                    f"{self._source}: the recording {recorded!r} is taken for case {case.eval_id!r}, "
                    "because both are named after one file"
                )
            yield from self._too_few(recorded, case)
        ids = self._recordings.ids()
        if total == 1 and absent and len(ids) == 1:
            [case], [recorded] = absent, ids
            self._only[case.eval_id] = recorded
            absent = []
            renamed.append(
                f"{self._source}: its only recording, {recorded!r}, is taken for the only case, {case.eval_id!r}"
            )
            yield from self._too_few(recorded, case)
        self.notes = _first_of(
            renamed, f"{self._source}: {{}} further recordings have another id than their case"
        )
        yield from _first_of(
            [
                f"{self._source} has no recording of case {case.eval_id!r}.{did_you_mean(case.eval_id, ids)}"
                for case in absent
            ],
            f"{self._source} has no recording of {{}} further cases.",
        )
        if absent:
            yield f"{self._source} has recordings of {_listed(ids)}."

    def _too_few(self, recorded: str, case: CaseFacts) -> Iterator[str]:
        count = self._recordings.count(recorded)
        if count < case.repeats:
            plural = "" if count == 1 else "s"
            yield (
                f"{self._source} has {count} recording{plural} of case {case.eval_id!r}, "
                f"{case.repeats} repeats are asked for."
            )


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(map(repr, ids[:_NAMED])) + more


def _file_name(eval_id: str) -> str:
    """Shorten ``evals/dice.test.json`` to ``dice``; an id that is not a path of a JSON file stays as it is."""
    found = _PATH_OF_A_FILE.match(eval_id)
    return eval_id if found is None else found[1]


def _first_of(messages: Sequence[str], more: str) -> list[str]:
    rest = len(messages) - _NAMED
    return [*messages[:_NAMED], *([more.format(rest)] if rest > 0 else [])]
