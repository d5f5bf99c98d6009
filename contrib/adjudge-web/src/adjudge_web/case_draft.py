"""A case that is being edited: what changed, one step back, and a save that loses nobody's work."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any, Final

from adjudge.kit.eval_sets import (
    ABSENT,
    Change,
    EvalSetDocument,
    Steps,
    changes,
    id_of,
    value_at,
    with_value,
    without,
)
from adjudge.plugin import InputError, Problem

_MOST: Final = 500
"""Changes that can be undone."""


class ConflictError(InputError):
    """Somebody changed or removed the case since it was opened."""

    def __init__(self, path: Path, eval_id: str, theirs: dict[str, Any] | None) -> None:
        """``theirs`` is the case as it is now, ``None`` where it is gone."""
        did = "removed" if theirs is None else "changed"
        super().__init__(
            Problem(what=f"somebody {did} this case since you opened it.", file=str(path), case=eval_id)
        )
        self.theirs = theirs


class CaseDraft:
    """One case of one file."""

    def __init__(self, path: Path, eval_id: str) -> None:
        """Open the case.

        Raises:
            InputError: the file cannot be changed, or has no such case.
        """
        self._path = path
        self.eval_id = eval_id
        """As it is in the file."""
        found = _case_of(EvalSetDocument.opened(path), eval_id)
        if found is None:
            raise InputError(Problem(what="there is no such case.", file=str(path), case=eval_id))
        self.base: dict[str, Any] = found
        """The case as it was opened."""
        self.now: dict[str, Any] = copy.deepcopy(found)
        """The case as it is to be."""
        self._before: list[dict[str, Any]] = []

    def at(self, *steps: str | int) -> Any:
        """What stands at a place; ``None`` where nothing does."""
        found = value_at(self.now, steps)
        return None if found is ABSENT else found

    def put(self, steps: Steps, value: Any) -> None:
        """Put a value at a place; objects on the way that are not there are made."""
        new: Any = self.now
        for end in range(1, len(steps)):
            if value_at(new, steps[:end]) in (ABSENT, None):
                new = with_value(new, steps[:end], {}, path="case")
        self._set(with_value(new, steps, value, path="case"))

    def add(self, steps: Steps, value: Any) -> None:
        """Add an element to the list at a place."""
        there = self.at(*steps)
        self.put(steps, [*(there or ()), value])

    def drop(self, steps: Steps) -> None:
        """Take out what stands at a place."""
        self._set(without(self.now, steps, path="case"))

    def _set(self, new: dict[str, Any]) -> None:
        if new != self.now:
            self._before = [*self._before[-_MOST:], self.now]
            self.now = new

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._before)

    def undo(self) -> None:
        """Take the last change back."""
        if self._before:
            self.now = self._before.pop()

    @property
    def changes(self) -> list[Change]:
        """What differs from the case as it was opened."""
        return list(changes(self.base, self.now))

    def save(self, *, over_theirs: bool = False) -> None:
        """Write the case into its file; the other cases stay as they are there by now.

        Args:
            over_theirs: Whether what somebody else wrote meanwhile is replaced.

        Raises:
            ConflictError: somebody changed or removed the case since it was opened.
            InputError: it is no sound case, or the file cannot be written.
        """
        document = EvalSetDocument.opened(self._path)
        theirs = _case_of(document, self.eval_id)
        if theirs != self.base and theirs != self.now and not over_theirs:
            raise ConflictError(self._path, self.eval_id, theirs)
        if theirs is None:
            from adjudge.kit.adk import case_from_adk

            document.add(case_from_adk(self.now))
        else:
            document.replace(self.eval_id, self.now)
        document.save()
        self.base, self.eval_id = copy.deepcopy(self.now), id_of(self.now)


def _case_of(document: EvalSetDocument, eval_id: str) -> dict[str, Any] | None:
    return next((case for case in document.cases if id_of(case) == eval_id), None)
