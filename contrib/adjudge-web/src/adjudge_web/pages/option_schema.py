"""What a JSON schema says of an option: which kind of field shows it, and what is inside."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from adjudge.kit.strict_json import is_list, is_object

Kind: TypeAlias = Literal[
    "const",
    "switch",
    "select",
    "integer",
    "number",
    "text",
    "lines",
    "object",
    "rows",
    "map",
    "choice",
    "json",
]

_SCALARS: Final[Mapping[str, Kind]] = {
    "boolean": "switch",
    "integer": "integer",
    "number": "number",
    "string": "text",
}
_EMPTY: Final[Mapping[Kind, Any]] = {"switch": False, "text": "", "lines": [], "rows": [], "map": {}}
_IN_WORDS: Final[Mapping[Kind, str]] = {"text": "text", "switch": "yes or no", "map": "names with values"}
_WITHOUT_FIELDS: Final = ("allOf", "not", "if", "prefixItems", "patternProperties")
"""Keywords of schemas that no kind of field follows."""
_ANNOTATIONS: Final = ("title", "description", "default")
_DEEPEST: Final = 4
"""Definitions inside one another: what lies deeper is JSON."""


@dataclass(frozen=True)
class OptionSchema:
    """The schema of one value."""

    said: Mapping[str, Any]
    """Without references, and without ``null`` as one of the choices."""
    known: Mapping[str, Any]
    """What each reference leads to."""
    above: frozenset[str] = frozenset()
    """The references that lead here: a definition that contains itself is JSON where it comes again."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> OptionSchema:
        """The schema of a whole configuration."""
        definitions = document.get("$defs")
        known = definitions if is_object(definitions) else {}
        return cls({}, {f"#/$defs/{name}": each for name, each in known.items()})._inside(document)

    def or_default(self, value: Any) -> OptionSchema:
        """With a structure as default where none is stated: schemas leave out what a factory makes."""
        if "default" in self.said or not isinstance(value, dict | list) or not self.fits(value):
            return self
        return replace(self, said={**self.said, "default": value})

    def _inside(self, schema: Any) -> OptionSchema:
        """The schema of a part, without references. A boolean is a schema too: it says nothing of fields."""
        said: dict[str, Any] = dict(schema) if is_object(schema) else {}
        above = self.above
        while True:
            if "$ref" in said:
                name = str(said.pop("$ref"))
                found = self.known.get(name)
                if not is_object(found) or name in above or len(above) >= _DEEPEST:
                    return OptionSchema(_annotations(said), self.known, above)
                above |= {name}
                said = {**found, **said}
                continue
            union = next((word for word in ("anyOf", "oneOf") if is_list(said.get(word))), None)
            if union is None:
                return OptionSchema(said, self.known, above)
            said[union] = [
                each for each in said[union] if not (is_object(each) and each.get("type") == "null")
            ]
            if len(said[union]) != 1:
                return OptionSchema(said, self.known, above)
            [only] = said.pop(union)
            said = {**only, **said} if is_object(only) else _annotations(said)

    @cached_property
    def kind(self) -> Kind:
        """Which field shows it. JSON is left for what the schema does not say."""
        type_ = self.said.get("type")
        if any(word in self.said for word in _WITHOUT_FIELDS):
            return "json"
        if self.said.get("const") is not None:
            return "const"
        if self.enum:
            return "json" if any(isinstance(each, dict | list) for each in self.enum) else "select"
        if self.choices:
            return "json" if any(choice.kind == "json" for choice in self.choices) else "choice"
        if isinstance(type_, str) and type_ in _SCALARS:
            return _SCALARS[type_]
        if type_ in (None, "object") and self.properties:
            return "object"
        if type_ not in ("array", "object") or self.inner.kind == "json":
            return "json"
        if type_ == "object":
            return "map"
        return "lines" if self.inner.kind == "text" else "rows"

    @cached_property
    def properties(self) -> dict[str, OptionSchema]:
        """The members of an object."""
        found = self.said.get("properties")
        return {name: self._inside(each) for name, each in found.items()} if is_object(found) else {}

    @cached_property
    def constants(self) -> dict[str, Any]:
        """The members of an object that can have one value only."""
        return {name: each.said["const"] for name, each in self.properties.items() if each.kind == "const"}

    @cached_property
    def inner(self) -> OptionSchema:
        """Of each element of a list, of each value of a map."""
        word = "items" if self.said["type"] == "array" else "additionalProperties"
        return self._inside(self.said.get(word))

    @cached_property
    def choices(self) -> tuple[OptionSchema, ...]:
        """What it may be instead of one another."""
        found = self.said.get("anyOf") or self.said.get("oneOf")
        return tuple(self._inside(each) for each in found) if is_list(found) else ()

    def choice_of(self, value: Any) -> int:
        """The place of the choice that a value fits best: by its constants, then by its names."""
        fitting = [place for place, choice in enumerate(self.choices) if choice.fits(value)]
        return min(fitting, key=lambda place: self.choices[place]._strangers(value), default=0)

    def _strangers(self, value: Any) -> int:
        """How many required members an object lacks, and how many it has that the schema does not name."""
        if not is_object(value):
            return 0
        required = self.said.get("required")
        lacking = set(required if is_list(required) else ()) - value.keys()
        return len(lacking) + len(value.keys() - self.properties.keys())

    def fits(self, value: Any) -> bool:
        """Whether its field can show a value, and give it back with nothing lost."""
        match self.kind:
            case "json":
                return True
            case "choice":
                return any(choice.fits(value) for choice in self.choices)
            case "lines":
                # A line break would make two elements of one.
                return is_list(value) and all(
                    isinstance(each, str) and each.strip() and each.splitlines() == [each] for each in value
                )
            case "rows":
                return is_list(value) and all(self.inner.fits(each) for each in value)
            case "map":
                return is_object(value) and all(
                    name and self.inner.fits(each) for name, each in value.items()
                )
            case "object":
                return is_object(value) and all(self._takes(name, each) for name, each in value.items())
            case _:
                return self._fits_alone(value)

    def _takes(self, name: str, value: Any) -> bool:
        """Whether a member of an object fits; ``None`` is as good as none where that is the default."""
        schema = self.properties.get(name)
        if schema is None:
            return self.said.get("additionalProperties") is not False
        return schema.fits(value) or (value is None and schema.kind != "const" and schema.default is None)

    def _fits_alone(self, value: Any) -> bool:
        """Whether a value without parts fits."""
        match self.kind:
            case "const":
                return _same(value, self.said["const"])
            case "select":
                return any(_same(value, each) for each in self.enum)
            case "switch":
                return isinstance(value, bool)
            case "text":
                return isinstance(value, str) and len(value.splitlines()) < 2
            case _:
                return (
                    isinstance(value, int | float)
                    and not isinstance(value, bool)
                    and (self.kind == "number" or isinstance(value, int) or value.is_integer())
                    and (self.lowest is None or value >= self.lowest)
                    and (self.highest is None or value <= self.highest)
                )

    def written(self, value: Any) -> Any:
        """What a file has to say for a value to hold; ``None`` where it may leave the value out."""
        if _same(self.brief(value), self.brief(self.default)):
            return None
        is_blank = value in ("", [], {}) or (self.kind == "object" and value == self.constants)
        return None if is_blank and not self.default and self.kind != "json" else value

    def brief(self, value: Any) -> Any:
        """A copy without the members of objects that say their own default."""
        if self.kind == "object" and is_object(value):
            return {
                name: self._member(name).brief(each)
                for name, each in value.items()
                if not self._member(name)._is_default(each)
            }
        if self.kind == "rows" and is_list(value):
            return [self.inner.brief(each) for each in value]
        if self.kind == "map" and is_object(value):
            return {name: self.inner.brief(each) for name, each in value.items()}
        return copy.deepcopy(value)

    def _member(self, name: str) -> OptionSchema:
        return self.properties.get(name) or OptionSchema({}, self.known)

    def _is_default(self, value: Any) -> bool:
        # A constant tells of which kind an object is: it is always said.
        if self.kind == "const" or "default" not in self.said:
            return False
        return _same(self.brief(value), self.brief(self.default))

    @property
    def empty(self) -> Any:
        """What a new row, or another choice, begins with; ``None`` where only a person can tell: a number."""
        match self.kind:
            case "const":
                return self.said["const"]
            case "select":
                return self.enum[0]
            case "choice":
                return self.choices[0].empty
            case "object":
                return dict(self.constants)
            case _:
                return copy.deepcopy(_EMPTY.get(self.kind))

    @property
    def default(self) -> Any:
        """What it is where it is left out."""
        return self.said.get("default")

    @property
    def enum(self) -> tuple[Any, ...]:
        """The words that it may be."""
        found = self.said.get("enum")
        return tuple(found) if is_list(found) else ()

    @property
    def lowest(self) -> float | None:
        """The least number."""
        return _number(self.said.get("minimum"))

    @property
    def highest(self) -> float | None:
        """The largest number."""
        return _number(self.said.get("maximum"))

    @property
    def meaning(self) -> str:
        """What its author says of it, on one line."""
        return str(self.said.get("description", "")).split("\n\n")[0].replace("``", "").strip()

    @property
    def title(self) -> str:
        """Its kind, in a word or two."""
        if self.kind == "const":
            return str(self.said.get("title") or self.said["const"])
        return str(self.said.get("title") or _IN_WORDS.get(self.kind) or self.said.get("type", self.kind))


def _annotations(said: Mapping[str, Any]) -> dict[str, Any]:
    return {word: said[word] for word in _ANNOTATIONS if word in said}


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; in JSON ``true`` is not ``1``."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _number(said: Any) -> float | None:
    return said if isinstance(said, int | float) else None
