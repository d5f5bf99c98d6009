"""Reads verdicts from files of results: the JSON of ``adjudge judge`` and ``adjudge eval``.

Three forms are read: that of schema 2, and what earlier versions wrote, which is schema 1 of runs over eval sets, where a
criterion in words is in ``details.evaluation``, and schema 1 of verdicts on logs, with ``logs`` and ``errors``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit.calibration import Decided
from adjudge.kit.strict_json import JsonStream, is_list, is_object, open_file
from adjudge.model.base import JsonObject
from adjudge.plugin import InputError, Problem
from adjudge_plugins.agreement.report import GivenVerdict

_NO_RESULTS: Final = "this is not a results file of adjudge: it has neither 'logs' nor 'cases'"
_HOW: Final = (
    "Write them with 'adjudge judge ... --output FILE.json', or 'adjudge eval ... --output FILE.json'."
)


def read_given_verdicts(path: Path) -> tuple[GivenVerdict, ...]:
    """The verdicts on every run by every criterion, and the errors of measurement.

    Keys of later versions of the format are ignored.

    Raises:
        InputError: the file cannot be read, or holds no results.
    """
    with open_file(path) as file:
        stream = JsonStream(file, str(path))
        if stream.peek() != "{":
            raise InputError(Problem(what=_NO_RESULTS, file=str(path), hint=_HOW))
        given: list[GivenVerdict] = []
        sections: set[str] = set()
        for key in stream.members():
            if key not in _SECTIONS or stream.peek() != "[":
                stream.value()
                continue
            sections.add(key)
            for at in stream.elements():
                line, row = stream.line, stream.value()
                try:
                    given += _SECTIONS[key](row)
                except (KeyError, TypeError, ValueError):
                    what = "this is not written by adjudge, or was changed since"
                    raise InputError(
                        Problem(what=what, file=str(path), line=line, path=f"$.{key}[{at}]", hint=_HOW)
                    ) from None
        stream.finish()
    if not sections & {"logs", "cases"}:
        raise InputError(Problem(what=_NO_RESULTS, file=str(path), hint=_HOW))
    return tuple(given)


def _of_case(row: JsonObject) -> Iterator[GivenVerdict]:
    """A case, or a run in a log: schema 2, and schema 1 of runs over eval sets."""
    source = row.get("source")
    names: tuple[str, ...]
    if source is not None:
        names, run, length = (source,), row["run"], row["steps"]
    else:
        case, file = row["eval_id"], row["eval_set_file"]
        names = (case,) if file is None else (case, f"{file}:{case}")
        run, length = row["repeat"], len(row["invocations"]) or None
    if not row["criteria"] and row["error"] is not None:
        yield GivenVerdict(names=names, run=run, criterion=None, verdict=None)
    for result in row["criteria"]:
        if source is not None and result["status"] == "not_applicable":
            continue  # it has nothing to measure in this run
        judged = result if "used_granularity" in result else result["details"].get("evaluation", {})
        is_in_words = judged.get("used_granularity") is not None
        confidence = judged.get("confidence_score") if is_in_words else None
        if not is_in_words or (confidence is None and _named(result["details"]) is not None):
            confidence = _of_one_decision(result)
        yield _given(names, run, {**judged, **result, "confidence_score": confidence}, length)


def _of_log(row: JsonObject) -> Iterator[GivenVerdict]:
    """A run in a log: schema 1 of verdicts on logs."""
    for result in row["results"]:
        yield _given((row["source"],), row["run"], result, row["steps"])


def _of_error(row: JsonObject) -> Iterator[GivenVerdict]:
    """What could not be measured in logs: schema 1 of verdicts on logs."""
    if row["run"] is None and row["criterion_name"] is not None:
        return  # it concerns all runs together, and every one of them has a row of its own
    yield GivenVerdict(names=(row["source"],), run=row["run"], criterion=row["criterion_name"], verdict=None)


def _given(names: tuple[str, ...], run: int | None, result: JsonObject, length: int | None) -> GivenVerdict:
    """The verdict of one criterion; ``result`` has the keys of schema 2."""
    named = _named(result.get("details"))
    verdict, confidence = _decided(result["verdict"]), _confidence(result["confidence_score"])
    if verdict is None and named is not None and result["verdict"] != "UNSURE":
        verdict = "PASS" if named.get("step") is None else "FAIL"  # informational: it has no threshold
    voted, vote_confidence = _voted(result) or (verdict, confidence)
    return GivenVerdict(
        names=names,
        run=run,
        criterion=result["criterion_name"],
        verdict=verdict,
        unsure=result["verdict"] == "UNSURE",
        confidence=confidence,
        voted=voted,
        vote_confidence=vote_confidence,
        step=_first_step(result["verdict"], result["evidence"]) if named is None else _whole(named["step"]),
        source_ref=_text((named or {}).get("source_ref")),
        agent=_text((named or {}).get("agent")),
        length=length,
        judges=_models(result["judging"]),
        criterion_sha256=result.get("criterion_sha256"),
    )


def _of_one_decision(result: JsonObject) -> object:
    """The confidence of the one decision that a criterion took with a judge."""
    details = [result["details"], *(turn["details"] for turn in result["per_invocation"])]
    known = [item["votes"].get("confidence") for item in details if is_object(item.get("votes"))]
    return known[0] if len(known) == 1 else None


def _voted(evaluation: JsonObject) -> tuple[Decided | None, float | None] | None:
    """The uncalibrated result of the votes, for a calibrated result."""
    before = evaluation.get("before_calibration")
    if before is None:
        return None
    return _decided(before["verdict"]), _confidence(before["confidence_score"])


def _decided(verdict: object) -> Decided | None:
    if verdict == "PASS":
        return "PASS"
    return "FAIL" if verdict == "FAIL" else None


def _confidence(value: Any) -> float | None:
    if value is None:
        return None
    confidence = float(value)
    if not 0 <= confidence <= 1:
        raise ValueError("a confidence is from 0 to 1")
    return confidence


def _first_step(verdict: object, evidence: JsonObject | None) -> int | None:
    if evidence is None or verdict != "FAIL":
        return None
    citations = evidence["citations"]
    return int(citations[0]["step"]) if is_list(citations) and citations else None


def _named(details: object) -> JsonObject | None:
    """Details in which a criterion names a step, or says that there is none, as ``first_error`` does."""
    return details if is_object(details) and {"step", "source_ref"} <= details.keys() else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _models(judging: JsonObject | None) -> tuple[str, ...]:
    return () if judging is None else tuple(map(str, judging["models"]))


_SECTIONS: Final = {"logs": _of_log, "errors": _of_error, "cases": _of_case}
