"""Writes the document row by row, so that memory does not grow with the run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, BinaryIO, Final, cast

from adjudge.kit.judged_logs import JudgedLogs, judged_logs
from adjudge.plugin import RunReport
from adjudge_plugins.reporters.json_reporter import logs_rows
from adjudge_plugins.reporters.json_reporter.judged_rows import participant_row
from adjudge_plugins.reporters.json_reporter.rows import case_row, repeated_row, run_row, summary_row

SCHEMA_VERSION: Final = "1.2"
LOGS_SCHEMA_VERSION: Final = "1.0"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class JsonReporter:
    """Writes the format of ``document.py``: UTF-8, one row a line, no NaN and no Infinity."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the document."""
        if report.run.logs is not None:
            self._write_logs(judged_logs(report), stream)
            return
        stream.write(b'{\n"schema_version": ' + encoded(SCHEMA_VERSION))
        stream.write(b',\n"run": ' + encoded(run_row(report.run)))
        stream.write(b',\n"warnings": ' + encoded(list(report.warnings)))
        summary = dict(summary_row(report.summary))
        del summary["repeated"]
        stream.write(b',\n"summary": ' + encoded(summary).removesuffix(b"}") + b', "repeated": ')
        _write_rows(stream, (repeated_row(case) for case in report.summary.repeated))
        stream.write(b'},\n"cases": ')
        _write_rows(stream, (case_row(case) for case in report.cases()))
        stream.write(b"\n}\n")

    def _write_logs(self, judged: JudgedLogs, stream: BinaryIO) -> None:
        """Write the document of ``logs_document.py``."""
        stream.write(b'{\n"schema_version": ' + encoded(LOGS_SCHEMA_VERSION))
        about = {
            "adjudge_version": judged.adjudge_version,
            "started_at": judged.started_at,
            "duration": judged.duration,
            "warnings": list(judged.warnings),
            "plugins": list(map(participant_row, judged.plugins)),
            "summary": logs_rows.summary_row(judged),
        }
        stream.writelines(b",\n" + encoded(name) + b": " + encoded(value) for name, value in about.items())
        for name, rows in (
            ("criteria", map(logs_rows.criterion_row, judged.criteria)),
            ("measured", map(logs_rows.measured_row, judged.measured)),
            ("calibrations", map(logs_rows.calibration_row, judged.calibrations)),
            ("logs", map(logs_rows.log_row, judged.logs)),
            ("errors", map(logs_rows.error_row, judged.errors)),
        ):
            stream.write(b",\n" + encoded(name) + b": ")
            _write_rows(stream, rows)
        stream.write(b"\n}\n")


def _write_rows(stream: BinaryIO, rows: Iterable[object]) -> None:
    opening = b"[\n"
    for row in rows:
        stream.write(opening + encoded(row))
        opening = b",\n"
    stream.write(b"[]" if opening == b"[\n" else b"\n]")


def encoded(value: object) -> bytes:
    """One line of JSON that every parser reads.

    A number that JSON does not have becomes ``null``. Half of a surrogate pair, which no UTF-8 can
    hold and strict parsers refuse even as an escape, becomes the text of its escape.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
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
