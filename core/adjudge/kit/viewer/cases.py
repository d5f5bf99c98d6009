"""A case for a page: its row in the list, and its full view."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from adjudge.kit.evaluation import views_of
from adjudge.kit.render.evaluation_lines import findings_of
from adjudge.kit.render.explanation import UNSETTLED, headline
from adjudge.kit.render.lines import shortened
from adjudge.kit.render.log_tally import source_of
from adjudge.kit.render.repeats import WholeCase
from adjudge.kit.render.run_words import status_word
from adjudge.kit.render.scores import score_text
from adjudge.kit.render.simulation import simulation_lines
from adjudge.kit.render.tally import counted_as
from adjudge.kit.render.turns import Turn as PairedTurn
from adjudge.kit.render.turns import said, turns_of
from adjudge.kit.viewer.documents import (
    VERSION,
    CallView,
    CaseView,
    Finding,
    JudgeLevel,
    Repeat,
    Row,
    Side,
    Turn,
)
from adjudge.kit.viewer.findings import (
    call_view,
    criterion_finding,
    error_view,
    repeated_finding,
    turn_finding,
)
from adjudge.kit.viewer.levels import levels_of
from adjudge.kit.viewer.quotes import Quotes
from adjudge.kit.viewer.rubric_texts import RubricTexts
from adjudge.kit.viewer.segments import compared, whole
from adjudge.kit.viewer.statuses import WORDS
from adjudge.kit.viewer.texts import MOST, text_of
from adjudge.kit.viewer.timing import seconds_text
from adjudge.kit.viewer.trace import mark, trace_of
from adjudge.model.invocation import Invocation
from adjudge.model.printable import clean
from adjudge.model.result import RunInfo
from adjudge.plugin import ReportedCase

_HEADLINE: Final = 300
_PROMPT: Final = 120


def case_row(case: WholeCase, columns: Sequence[str], key: str) -> Row:
    """Create the row of a case in the list.

    Args:
        case: The case with its repeats.
        columns: The criteria of the list, in order.
        key: The key with which the viewer loads its ``CaseView``.
    """
    criteria = {item.criterion_name: item for item in case.overall.criteria}
    cells: list[tuple[str, str, float | None]] = []
    for name in columns:
        item = criteria.get(name)
        if item is None:
            cells.append(("", "", None))
            continue
        shown = status_word(item.status) if item.mean is None else score_text(item.mean, item.threshold)
        cells.append((item.status, shown, item.mean))
    first = case.repeats[0].result
    # For a log this is the time of reading, not of the agent.
    seconds = case.seconds if first.source is None else None
    return {
        "key": key,
        "name": clean(_name(case)),
        "id": clean(case.overall.eval_id if first.source is None else PurePath(_name(case)).name),
        "set": clean(case.overall.eval_set_file or case.overall.eval_set_id),
        "status": counted_as(case),
        "headline": _headline(case),
        "prompt": shortened(first.task or "", _PROMPT),
        "seconds": seconds,
        "time": "" if seconds is None else seconds_text(seconds),
        "cells": cells,
    }


def case_view(case: WholeCase, run: RunInfo) -> CaseView:
    """The full view of a case of a run. Its trajectories are read from the journal, and not kept in memory."""
    opened = next((item for item in case.repeats if item.result.status in UNSETTLED), case.repeats[0])
    overall = case.overall.criteria if len(case.repeats) > 1 else ()
    return {
        "version": VERSION,
        "kind": "case",
        "words": WORDS,
        "name": clean(_name(case)),
        "title": clean(_title(case)),
        "status": counted_as(case),
        "headline": _headline(case),
        "overall": [repeated_finding(item) for item in overall],
        "opens": opened.result.repeat,
        "repeats": [_repeat(reported, run) for reported in case.repeats],
    }


def _name(case: WholeCase) -> str:
    """The name of a case as the command line selects it; for a run in a log, the log and its number."""
    result = case.repeats[0].result
    if result.source is None:
        return case.name
    return source_of(result) if result.run is None else f"{source_of(result)}#{result.run}"


def _title(case: WholeCase) -> str:
    """The name of the case, without the folders of its file if their path is absolute."""
    name, file = _name(case), case.repeats[0].result.source or case.overall.eval_set_file or ""
    return PurePath(file).name + name[len(file) :] if PurePath(file).is_absolute() else name


def _headline(case: WholeCase) -> str:
    if case.unfinished or case.overall.status in ("PASS", "informational"):
        return ""
    result = case.repeats[0].result
    if result.source is None:
        return shortened(headline(case), _HEADLINE)
    order = ("FAIL", "error", "UNSURE")
    found = [
        item for item in findings_of(result, decides=True) if item.status in order and not item.unfinished
    ]
    found.sort(key=lambda item: order.index(item.status))
    return shortened("; ".join(f"{item.name}: {item.reasoning}" for item in found), _HEADLINE)


def _repeat(reported: ReportedCase, run: RunInfo) -> Repeat:
    result, actual = reported.result, reported.actual
    trace = trace_of(actual)
    quotes = Quotes(trace)
    findings = [criterion_finding(item, quotes) for item in result.criteria]
    mark(trace, [(item["name"], item["fault"]) for item in findings if "fault" in item])
    levels = levels_of(views_of(result))
    turns = [_turn(turn, quotes) for turn in turns_of(reported)] if result.source is None else []
    rubrics = RubricTexts(reported.case, run, result.eval_set_file)
    for found in (findings, *(turn["findings"] for turn in turns)):
        rubrics.add_to(found)
    return {
        "repeat": result.repeat,
        "status": result.status,
        "facts": _facts(reported),
        "error": None if result.error is None else error_view(result.error),
        "simulation": [str(item) for item in simulation_lines(result.simulation)],
        "findings": findings,
        "turns": turns,
        "trace": trace,
        "levels": levels,
        "judged": _is_judged(findings, levels),
    }


def _is_judged(findings: Sequence[Finding], levels: Sequence[JudgeLevel]) -> bool:
    return bool(levels) or any(
        "granularity" in item or "citations" in item or "fault" in item for item in findings
    )


def _facts(reported: ReportedCase) -> list[tuple[str, str]]:
    result = reported.result
    facts = {
        "task": result.task,
        "agent": result.agent,
        "time": None
        if result.duration is None or result.source is not None
        else seconds_text(result.duration),
    }
    return [(name, shortened(value, 2_000)) for name, value in facts.items() if value]


def _turn(turn: PairedTurn, quotes: Quotes) -> Turn:
    wanted, found = turn.expected, turn.actual
    findings = [turn_finding(criterion, result, quotes) for criterion, result in turn.results]
    # If a criterion shows pairs of calls, they are not listed again.
    listed = not any("calls" in finding for finding in findings)
    expected = None if wanted is None else _side(wanted, listed=listed)
    actual = None if found is None else _side(found, listed=listed)
    note = ""
    if expected is not None and actual is not None and expected["answer"] and actual["answer"]:
        expected["answer"], actual["answer"], note = compared(
            expected["answer"][0][0], actual["answer"][0][0]
        )
    return {
        "number": turn.number,
        "of": turn.of,
        "prompt": text_of(turn.prompt),
        "expected": expected,
        "actual": actual,
        "note": note,
        "findings": findings,
    }


def _side(turn: Invocation, *, listed: bool) -> Side:
    response = turn.final_response
    text = "" if response is None else said(response)
    calls: list[CallView] = []
    if listed:
        calls = [
            call_view(call.name, call.args if call.raw_args is None else call.raw_args)
            for call in turn.tool_calls
        ]
    return {
        "answer": None if response is None else whole(text[:MOST]),
        "left_out": max(0, len(text) - MOST),
        "calls": calls,
    }
