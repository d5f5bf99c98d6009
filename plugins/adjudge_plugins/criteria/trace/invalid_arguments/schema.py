"""A JSON schema that somebody else wrote, applied to arguments that a model wrote: nothing of it is trusted."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

import jsonschema_rs

from adjudge.model import JsonObject
from adjudge_plugins.criteria.trace.invalid_arguments.work import Budget, Work

_LONGEST: Final = 200
"""Characters of a problem: messages repeat the value that is wrong."""


class Checked(NamedTuple):
    """What is wrong with arguments."""

    path: str
    """JSON path inside the arguments."""
    problem: str


class Schema:
    """A JSON schema, of the draft that its ``$schema`` names or 2020-12.

    References outside it are never fetched, and patterns are matched in linear time (those that need
    backtracking make the schema a broken one).
    """

    def __init__(self, schema: JsonObject) -> None:
        self._work = Work(schema)
        # Making the validator is work too, which nothing can stop either.
        self._validator = None if self._work.is_too_large else _validator(schema)

    @property
    def is_broken(self) -> bool:
        """Whether it is no JSON schema, or refers to something that is not in it. It takes everything then."""
        return self._validator is None and not self._work.is_too_large

    def check(self, arguments: JsonObject, budget: Budget) -> Checked | None:
        """The first thing that is wrong with the arguments; ``None`` where nothing is.

        Raises:
            TooMuchWorkError: the budget does not suffice to say it.
        """
        if not self.is_broken:
            self._work.check(arguments, budget)
        if self._validator is None:
            return None
        error = next(iter(self._validator.iter_errors(arguments)), None)
        if error is None:
            return None
        path = "".join(
            f"[{part}]"
            if isinstance(part, int)
            else f".{part}"
            if part.isidentifier()
            else f"[{json.dumps(part)}]"
            for part in error.instance_path
        )
        message = error.message
        return Checked(f"${path}", message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…")


def _validator(schema: JsonObject) -> jsonschema_rs.Validator | None:
    try:
        return jsonschema_rs.validator_for(
            schema, retriever=_not_fetched, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


def _not_fetched(uri: str) -> JsonObject:
    raise ValueError(f"{uri} lies outside the schema, and nothing is fetched")
