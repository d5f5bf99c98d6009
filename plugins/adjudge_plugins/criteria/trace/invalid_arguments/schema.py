"""Validates arguments with a JSON schema; neither of them is trusted."""

from __future__ import annotations

import json
from typing import Final, NamedTuple

import jsonschema_rs

from adjudge.model import JsonObject
from adjudge_plugins.criteria.trace.invalid_arguments.work import Budget, Work

_LONGEST: Final = 200
"""The length limit of a problem in characters: the validator's messages repeat the invalid value."""


class Checked(NamedTuple):
    """The problem of invalid arguments."""

    path: str
    """JSON path inside the arguments."""
    problem: str


class Schema:
    """A JSON schema, of the draft in its ``$schema``, by default 2020-12.

    References to other documents are never fetched. Patterns are matched in linear time; a pattern that needs
    backtracking makes the schema a broken one.
    """

    def __init__(self, schema: JsonObject) -> None:
        self._work = Work(schema)
        # Creating the validator costs work too, and cannot be interrupted either.
        self._validator = None if self._work.is_too_large else _validator(schema)

    @property
    def is_broken(self) -> bool:
        """Whether it is not a valid JSON schema, or has unresolvable references. A broken schema accepts everything."""
        return self._validator is None and not self._work.is_too_large

    def check(self, arguments: JsonObject, budget: Budget) -> Checked | None:
        """Return the first problem of the arguments; ``None`` if they are valid.

        Raises:
            TooMuchWorkError: the budget is exhausted.
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
