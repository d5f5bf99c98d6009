"""Writes the document row by row, so that memory does not grow with the number of cases."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, BinaryIO, Final, cast

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, to_json

from adjudge.model import JsonObject
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.json_reporter.document import NOT_SHOWN, SCHEMA_VERSION, case_row

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class JsonReporter:
    """Writes the format of ``document.py`` as UTF-8, one case per line, without NaN and Infinity."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the document."""
        stream.write(b'{\n"schema_version": ' + encoded(SCHEMA_VERSION))
        stream.write(b',\n"run": ' + encoded(report.run))
        stream.write(b',\n"warnings": ' + encoded(report.warnings))
        stream.write(
            b',\n"summary": '
            + encoded(report.summary, {"repeated": True}).removesuffix(b"}")
            + b',"repeated": '
        )
        _write_rows(stream, report.summary.repeated)
        stream.write(b'},\n"cases": ')
        _write_rows(stream, (case_row(case, report.run) for case in report.cases()), NOT_SHOWN)
        stream.write(b"\n}\n")


def _write_rows(stream: BinaryIO, rows: Iterable[object], without: JsonObject | None = None) -> None:
    opening = b"[\n"
    for row in rows:
        stream.write(opening + encoded(row, without))
        opening = b",\n"
    stream.write(b"[]" if opening == b"[\n" else b"\n]")


def encoded(value: object, without: JsonObject | None = None) -> bytes:
    """Encode a value as one line of JSON that every parser accepts; ``without`` works like pydantic's ``exclude``.

    NaN and infinity become ``null``. A lone surrogate, which UTF-8 cannot encode and strict parsers
    refuse even as an escape, is replaced by the text of its escape.
    """
    try:
        return to_json(value, inf_nan_mode="null", exclude=without)
    except PydanticSerializationError:
        plain = TypeAdapter[Any](Any).dump_python(value, exclude=without)
    text = json.dumps(_finite(plain), ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda match: f"\\\\u{ord(match[0]):04x}", text).encode()


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(item) for key, item in cast("dict[str, Any]", value).items()}
        case list() | tuple():
            return [_finite(item) for item in cast("list[Any]", value)]
        case _:
            return value
