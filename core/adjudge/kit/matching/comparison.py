"""Whether an actual call matches an expected one: first the names, then the arguments by the rules of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, TypeAlias, cast

from pydantic import ValidationError

from adjudge.errors import InputError, Problem
from adjudge.kit.matching.arguments import ArgumentFunction, Difference, FunctionMatcher, RuleMatcher
from adjudge.kit.matching.calls import UNSAID, Key
from adjudge.kit.matching.options import ArgumentOptions, ArgumentRules, CallOptions
from adjudge.kit.matching.paths import is_glob


class Comparison:
    """Decides whether an actual call matches an expected call. It is created once, and used for many turns."""

    __slots__ = ("_globs", "_matchers", "_rest", "by_equality", "names_only")

    def __init__(
        self,
        general: RuleMatcher | FunctionMatcher | None = None,
        tools: Mapping[str, RuleMatcher | FunctionMatcher] | None = None,
        *,
        names_only: bool = False,
    ) -> None:
        self.by_equality: Final = general is None and not tools and not names_only
        """Whether names and arguments are compared only by equality."""
        self.names_only: Final = names_only
        """Whether only names are compared."""
        # Without validation, which would build validators at import, at every start.
        self._rest = general or RuleMatcher(ArgumentRules.model_construct())
        self._matchers = {name: rule for name, rule in (tools or {}).items() if not is_glob(name)}
        self._globs = [(glob, rule) for glob, rule in (tools or {}).items() if is_glob(glob)]

    @classmethod
    def of(cls, arguments: Arguments = None, ignore_args: bool = False) -> Comparison:
        """Create a comparison from options or a function; by default arguments are compared by equality.

        Raises:
            InputError: the options are invalid, or both ``ignore_args`` and options are given.
        """
        if arguments is None:
            return _NAMES_ONLY if ignore_args else _EQUALITY
        if ignore_args:
            raise InputError(Problem(what="ignore_args and arguments exclude each other: give one"))
        if isinstance(arguments, Comparison):
            return arguments
        if isinstance(arguments, ArgumentOptions):
            return cls._compiled(arguments, {})
        return cls(FunctionMatcher(arguments)) if callable(arguments) else cls._of_mapping(arguments)

    @classmethod
    def of_options(cls, options: CallOptions) -> Comparison:
        """Create a comparison from the options of a criterion."""
        if options.ignore_args:
            return _NAMES_ONLY
        return cls._compiled(options.arguments, {})

    @classmethod
    def _of_mapping(cls, arguments: Mapping[str, Any]) -> Comparison:
        functions: dict[str, ArgumentFunction] = {}
        tools = _mapping(_mapping(arguments).get("tools"))
        if tools:
            functions = {
                name: cast("ArgumentFunction", rule) for name, rule in tools.items() if callable(rule)
            }
            # An empty entry keeps the position of the function among the globs.
            arguments = {**arguments, "tools": {**tools, **{name: {} for name in functions}}}
        try:
            options = ArgumentOptions.model_validate(arguments)
        except ValidationError as error:
            raise InputError(
                [
                    Problem(what=detail["msg"], path=".".join(("$", *map(str, detail["loc"]))))
                    for detail in error.errors(include_url=False)
                ]
            ) from None
        return cls._compiled(options, functions)

    @classmethod
    def _compiled(cls, options: ArgumentOptions, functions: Mapping[str, ArgumentFunction]) -> Comparison:
        if options == ArgumentOptions():
            return _EQUALITY
        tools: dict[str, RuleMatcher | FunctionMatcher] = {}
        for name, rules in options.tools.items():
            own = {field: getattr(rules, field) for field in rules.model_fields_set}
            tools[name] = (
                FunctionMatcher(functions[name])
                if name in functions
                else RuleMatcher(options.model_copy(update=own))
            )
        return cls(RuleMatcher(options), tools)

    def _matcher(self, tool: str) -> RuleMatcher | FunctionMatcher:
        found = self._matchers.get(tool)
        if found is None:
            found = next((rule for glob, rule in self._globs if fnmatchcase(tool, glob)), self._rest)
            if self._globs:
                self._matchers[tool] = found
        return found

    def same(self, expected: Key, actual: Key) -> bool:
        """Whether the actual call matches the expected one."""
        if self.names_only:
            return bool(expected == actual)
        (name, wanted), (other, given) = expected, actual
        if name != other:
            return False
        return wanted is UNSAID or given is UNSAID or self._matcher(name).same(wanted, given)

    def credit(self, expected: Key, actual: Key) -> float:
        """The credit of a pair, from 0.0 (another tool) to 1.0 (the calls match).

        Calls of the same tool that do not match get the share of arguments that are right.
        """
        if self.same(expected, actual):
            return 1.0
        if self.names_only or expected[0] != actual[0]:
            return 0.0
        return self._matcher(expected[0]).credit(expected[1], actual[1])

    def differences(self, expected: Key, actual: Key) -> list[Difference]:
        """The differences between the arguments of two calls of the same tool."""
        if self.names_only or expected[1] is UNSAID or actual[1] is UNSAID:
            return []
        return self._matcher(expected[0]).differences(expected[1], actual[1])


Arguments: TypeAlias = ArgumentOptions | Mapping[str, Any] | ArgumentFunction | Comparison | None
"""How to compare arguments: options, options as a mapping (whose ``tools`` may contain functions), or a function."""


def _mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a mapping, else empty; validation reports other values."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


_EQUALITY: Final = Comparison()
_NAMES_ONLY: Final = Comparison(names_only=True)
