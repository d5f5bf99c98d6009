"""Reads YAML files of limited size: a single document of plain values, where every use of an alias counts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

from adjudge.kit.strict_json import MAX_DEPTH, open_file
from adjudge.plugin import InputError, Problem

_LARGEST: Final = 4 * 1024 * 1024
"""The size limit of a file in bytes. Parsing YAML takes about ten seconds per megabyte."""
_MOST_VALUES: Final = 100_000
"""The maximum number of values in a document, with aliases expanded."""
_MOST_DIGITS: Final = 300
"""The digit limit of an integer: longer ones do not fit into a float."""

_PLAIN: Final = {
    "<block": "the indentation is wrong; the keys of one entry begin in the same column",
    "mapping values": "a colon cannot stand here; check the indentation, and put a text with a colon in quotes",
}
"""Messages for the most frequent mistakes, by a part of the parser's message, which names its own terms."""


def read_yaml(path: Path) -> Any:
    """Read the single document of a YAML 1.2 file: no tags, no duplicate keys, finite numbers.

    Raises:
        InputError: the file cannot be read, is not such a document, or is too large with its aliases
        expanded.
    """
    import ruamel.yaml

    library: Any = ruamel.yaml  # half of its types are not annotated
    reader = library.YAML(typ="safe", pure=True)
    try:
        document = reader.compose(_text(path))
        if document is None:
            return None
        _Measured(path, library.nodes).measure(document, 1)
        return reader.constructor.construct_document(document)
    except library.error.MarkedYAMLError as error:
        what = str(error.problem or error.context)
        told = next((plain for part, plain in _PLAIN.items() if part in what), what)
        raise _problem(path, f"not YAML: {told}", error.problem_mark) from None
    except RecursionError:
        raise _problem(path, _too_deep(), None) from None
    except (library.error.YAMLError, ValueError) as error:
        raise _problem(path, f"not YAML: {error}", None) from None


def _text(path: Path) -> str:
    with open_file(path) as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise _problem(path, f"the file has more than {_LARGEST:,} bytes, too many for YAML", None)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _problem(path, f"not UTF-8: {error.reason}", None) from None


class _Measured:
    """Counts the values of a document with aliases expanded, without expanding them."""

    def __init__(self, path: Path, nodes: Any) -> None:
        self._path = path
        self._nodes = nodes
        self._known: dict[int, tuple[int, int]] = {}
        self._open: set[int] = set()

    def measure(self, node: Any, depth: int) -> tuple[int, int]:
        """The number of values in ``node`` and its depth, both at least 1.

        Raises:
            InputError: there are too many values, too much nesting, a cycle, or a number that is not finite.
        """
        if id(node) in self._known:
            values, height = self._known[id(node)]
        elif id(node) in self._open:
            raise _problem(self._path, "an alias stands inside what it names", node.start_mark)
        elif isinstance(node, self._nodes.ScalarNode):
            self._check_number(node)
            values, height = 1, 1
        else:
            self._open.add(id(node))
            parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]  # pyright: ignore[reportUnknownVariableType]
            measured = [self.measure(part, depth + 1) for part in parts]  # pyright: ignore[reportUnknownVariableType]
            self._open.remove(id(node))
            values = 1 + sum(each for each, _ in measured)
            height = 1 + max((high for _, high in measured), default=0)
        self._known[id(node)] = values, height
        if values > _MOST_VALUES:
            what = f"more than {_MOST_VALUES:,} values, once the aliases are written out"
            raise _problem(self._path, what, node.start_mark)
        if depth + height - 1 > MAX_DEPTH:
            raise _problem(self._path, _too_deep(), node.start_mark)
        return values, height

    def _check_number(self, node: Any) -> None:
        text = str(node.value).lower().replace("_", "")
        if node.tag.endswith(":float"):
            is_named = text.lstrip("+-") in (".inf", ".nan")
            if is_named or not math.isfinite(float(text)):
                raise _problem(self._path, f"{node.value} is no finite number", node.start_mark)
        elif node.tag.endswith(":int") and len(text) > _MOST_DIGITS:
            what = f"a whole number of more than {_MOST_DIGITS} digits"
            raise _problem(self._path, what, node.start_mark)


def _too_deep() -> str:
    return f"more than {MAX_DEPTH} lists and objects inside one another"


def _problem(path: Path, what: str, mark: Any) -> InputError:
    place = {} if mark is None else {"line": mark.line + 1, "column": mark.column + 1}
    return InputError(Problem(what=what, file=str(path), **place))
