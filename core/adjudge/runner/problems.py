"""Problems: everything that is wrong with a plan, collected so that it is told at once."""

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
        """Begin with none."""
        self._found: list[Problem] = []
        self._warnings: list[str] = []

    def __len__(self) -> int:
        """How many problems there are so far."""
        return len(self._found)

    def add(self, what: str, **place: Any) -> None:
        """Note a problem; ``place`` are further fields of ``Problem``."""
        self._found.append(Problem(what=what, **place))

    def warn(self, warnings: Iterable[str]) -> None:
        """Note what is odd and not wrong."""
        self._warnings += warnings

    @contextmanager
    def caught(self, **place: Any) -> Generator[None]:
        """Note what is raised inside, as a problem of ``place`` where it names no place of its own."""
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
        """Raise everything that was found, each problem once.

        Args:
            warnings: Further ones, told with those that were noted here.

        Raises:
            InputError: there is at least one problem.
        """
        if self._found:
            told = dict.fromkeys((*self.warnings, *warnings))
            raise InputError(list(dict.fromkeys(self._found)), warnings=told)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Every warning once."""
        return tuple(dict.fromkeys(self._warnings))
