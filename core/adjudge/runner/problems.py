"""Collects all problems of a plan, to report them together."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from adjudge.errors import AdjudgeError, InputError, Problem
from adjudge.extension.guard import described


class Problems:
    """Collects problems and warnings while the parts of a plan are made."""

    def __init__(self) -> None:
        """Start without problems and warnings."""
        self._found: list[Problem] = []
        self._warnings: list[str] = []

    def __len__(self) -> int:
        """The number of problems so far."""
        return len(self._found)

    def add(self, what: str, **place: Any) -> None:
        """Add a problem; ``place`` are further fields of ``Problem``."""
        self._found.append(Problem(what=what, **place))

    def warn(self, warnings: Iterable[str]) -> None:
        """Add warnings."""
        self._warnings += warnings

    @contextmanager
    def caught(self, **place: Any) -> Generator[None]:
        """Add exceptions of the code inside as problems. One without a file or path gets those of ``place``."""
        try:
            yield
        except InputError as error:
            self.warn(error.warnings)
            self._found += [
                problem if problem.file or problem.path else replace(problem, **place)
                for problem in error.problems
            ]
        except AdjudgeError as error:
            self.add(str(error), **place)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plugin's configuration class has code too
            self.add(described(error), **place)

    def raise_any(self, warnings: Iterable[str] = ()) -> None:
        """Raise all problems in one error, each once.

        Args:
            warnings: Further warnings for the error, besides those added here.

        Raises:
            InputError: there is at least one problem.
        """
        if self._found:
            told = dict.fromkeys((*self.warnings, *warnings))
            raise InputError(list(dict.fromkeys(self._found)), warnings=told)

    @property
    def warnings(self) -> tuple[str, ...]:
        """All warnings, each once."""
        return tuple(dict.fromkeys(self._warnings))
