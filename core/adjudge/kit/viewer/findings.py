"""Results of criteria for a page, with the texts of ``kit.render``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from adjudge.kit.evaluation import codes_of
from adjudge.kit.render.calibrated import confidence_text
from adjudge.kit.render.call_diff import CALL_MARKS, is_call_diff, is_differences
from adjudge.kit.render.criterion_words import (
    criterion_score_text,
    detail_text,
    gaps_text,
    lists_rubrics,
    mean_score_text,
    own_reason,
    spread_text,
    turn_score_text,
)
from adjudge.kit.render.evaluation_lines import CHECK_WORDS, CODE_WORDS
from adjudge.kit.render.fault import fault_keys
from adjudge.kit.render.lines import Tone
from adjudge.kit.render.rubric_lines import UNSCORED_RUBRIC, is_sentences
from adjudge.kit.render.scores import score_text
from adjudge.kit.render.simulation import end_lines, is_end
from adjudge.kit.render.votes import FLAG_WORDS, flags_of, is_votes, votes_text
from adjudge.kit.viewer.documents import (
    CallPair,
    CallView,
    Check,
    Difference,
    ErrorView,
    Fault,
    Finding,
    Place,
)
from adjudge.kit.viewer.documents import Votes as VotesView
from adjudge.kit.viewer.quotes import Quotes
from adjudge.kit.viewer.segments import compared, whole
from adjudge.kit.viewer.texts import Segment, Text, text_of
from adjudge.model.base import JsonObject, JsonValue
from adjudge.model.evaluation import CheckResult
from adjudge.model.evidence import Evidence, Failure
from adjudge.model.measurement import RubricScore
from adjudge.model.printable import clean
from adjudge.model.result import CriterionResult, InvocationResult, RepeatedCriterion


def error_view(failure: Failure) -> ErrorView:
    """Convert a failure."""
    origin = f"{failure.origin}: " if failure.origin else ""
    return {
        "code": clean(failure.code),
        "text": text_of(origin + failure.message),
        "place": clean(failure.place or ""),
        "traceback": text_of(failure.traceback or ""),
    }


def criterion_finding(result: CriterionResult, quotes: Quotes) -> Finding:
    """Convert the result of a criterion on a whole case, or on a run in a log."""
    shown = criterion_score_text(result, otherwise="no score" if result.used_granularity is None else "")
    finding: Finding = {
        "name": clean(result.criterion_name),
        "component": result.criterion,
        "status": result.status,
        "shown": shown,
    }
    if result.score is not None:
        finding["score"] = result.score
    if result.threshold is not None:
        finding["threshold"] = result.threshold
    if gaps := gaps_text(result):
        finding["gaps"] = gaps
    if sure := confidence_text(result):
        finding["confidence"] = sure
    if result.used_granularity is not None:
        why = f": {result.granularity.reason}" if result.granularity is not None else ""
        finding["granularity"] = clean(f"{result.used_granularity}{why}")
    _add_parts(finding, result, quotes)
    _add_reason(finding, result)
    if result.checks:
        _add_checks(finding, result, quotes)
    if notes := [_note(code) for code in codes_of(result)]:
        finding["notes"] = list(dict.fromkeys([*notes, *finding.get("notes", [])]))
    return finding


def turn_finding(criterion: CriterionResult, result: InvocationResult, quotes: Quotes) -> Finding:
    """Convert the result of a criterion on one turn."""
    shown = turn_score_text(criterion, result)
    finding: Finding = {"name": clean(criterion.criterion_name), "status": result.status, "shown": shown}
    _add_parts(finding, result, quotes)
    _add_reason(finding, result)
    return finding


def repeated_finding(criterion: RepeatedCriterion) -> Finding:
    """Convert the result of a criterion on a case over all repeats."""
    finding: Finding = {
        "name": clean(criterion.criterion_name),
        "status": criterion.status,
        "shown": mean_score_text(criterion),
    }
    if criterion.mean is not None:
        finding["shown"] = f"mean {finding['shown']}{spread_text(criterion)}"
        finding["score"] = criterion.mean
    if criterion.threshold is not None:
        finding["threshold"] = criterion.threshold
    if criterion.scored != criterion.total:
        finding["gaps"] = f"{criterion.scored} of {criterion.total} repeats scored"
    return finding


def call_view(name: str, args: JsonValue, changed: Mapping[str, object] | None = None) -> CallView:
    """Convert a call; its arguments in ``changed`` are marked."""
    if not isinstance(args, Mapping):
        pairs = [] if args is None else [("", args)]
    else:
        pairs = list(cast("Mapping[str, Any]", args).items())
    marked = changed or {}
    return {
        "name": clean(name),
        "args": [(clean(str(key)), _json_text(value), str(key) in marked) for key, value in pairs],
    }


def _add_parts(finding: Finding, found: CriterionResult | InvocationResult, quotes: Quotes) -> None:
    details = found.details
    drawn: set[str] = set(fault_keys(details))
    if drawn and details["step"] is not None:
        finding["fault"] = _fault(details)
    if lists_rubrics(found):
        finding["checks"] = [_rubric(item) for item in found.rubric_scores]
    if is_call_diff(calls := details.get("calls")):
        finding["calls"] = [_pair(entry) for entry in calls]
        drawn |= {"calls", "match_type"}
    if is_differences(differences := details.get("differences")):
        finding["differences"] = [_difference(item) for item in differences]
        drawn.add("differences")
    if is_votes(votes := details.get("votes")):
        finding["votes"] = _votes(votes)
        drawn.add("votes")
    if is_end(end := details.get("end")):
        told = found.reasoning
        finding["lines"] = [str(item) for item in end_lines(end, told, indent=0, everything=True)]
        drawn.add("end")
    sentences: list[JsonObject] = []
    if is_sentences(texts := details.get("texts")):
        sentences = [item for text in texts for item in text["sentences"]]
        finding["checks"] = [*finding.get("checks", []), *map(_sentence, sentences)]
        drawn.add("texts")
    if rest := [(clean(key), detail_text(value)) for key, value in details.items() if key not in drawn]:
        finding["details"] = rest
    flags = {
        **flags_of(votes, *(item.get("votes") for item in sentences)),
        **{flag: None for item in found.rubric_scores for flag in item.votes.flags},
    }
    if flags:
        finding["notes"] = [_note(flag) for flag in flags]
    if found.evidence is not None:
        _add_evidence(finding, found.evidence, quotes)


def _add_reason(finding: Finding, found: CriterionResult | InvocationResult) -> None:
    match own_reason(found):
        case Failure() as error:
            finding["error"] = error_view(error)
        case str(reason):
            finding["reason"] = text_of(reason)
        case None:
            pass


def _add_checks(finding: Finding, result: CriterionResult, quotes: Quotes) -> None:
    """Add the checks with their evidence and reasons; those of the whole result are copies, and are removed."""
    finding["checks"] = [_check(check, quotes) for check in result.checks]
    finding.pop("citations", None)
    finding.pop("absences", None)
    reasons = {check.reasoning for check in result.checks}
    if len(result.checks) > 1 or reasons == {result.reasoning}:
        finding.pop("reason", None)


def _add_evidence(finding: Finding, evidence: Evidence, quotes: Quotes) -> None:
    if evidence.citations:
        finding["citations"] = quotes.cited(evidence.citations)
    if evidence.absences:
        finding["absences"] = _absences(evidence)


def _absences(evidence: Evidence) -> list[str]:
    found: list[str] = []
    for absence in evidence.absences:
        first, last = absence.steps
        where = f"step {first}" if first == last else f"steps {first}-{last}"
        found.append(clean(f"{where}: {absence.scan}"))
    return found


def _check(check: CheckResult, quotes: Quotes) -> Check:
    word, tone = CHECK_WORDS[check.state]
    shown: Check = {
        "id": clean(check.check_id),
        "tone": tone.value,
        "word": word,
        "text": clean(check.text),
        "reason": text_of(check.error.message if check.error is not None else check.reasoning or ""),
        "granularity": clean(check.granularity),
    }
    if check.evidence.citations:
        shown["citations"] = quotes.cited(check.evidence.citations)
    if check.evidence.absences:
        shown["absences"] = _absences(check.evidence)
    if is_votes(votes := check.votes.model_dump()):
        shown["votes"] = _votes(votes)
    return shown


def _rubric(item: RubricScore) -> Check:
    word, tone = UNSCORED_RUBRIC.get(item.state, ("no score", Tone.PLAIN))
    if item.score is not None:
        word = {1.0: "yes", 0.0: "no"}.get(item.score) or score_text(item.score)
        tone = Tone.PASS if item.score == 1 else Tone.FAIL
    reason = item.error.message if item.error is not None else item.rationale
    shown: Check = {
        "id": clean(item.rubric_id),
        "tone": tone.value,
        "word": word + (f" ({item.unsure_code})" if item.unsure_code else ""),
        "text": "",
        "reason": text_of(reason or ""),
    }
    if is_votes(votes := item.votes.model_dump()):
        shown["votes"] = _votes(votes)
    return shown


def _sentence(item: JsonObject) -> Check:
    label = item.get("label")
    settled = item.get("state") in ("scored", "not_applicable") and label
    excerpt = item.get("excerpt")
    found = "" if item.get("excerpt_found") else " (not found in the evidence)"
    reasons = [str(item.get("rationale") or ""), f"excerpt: {excerpt}{found}" if excerpt else ""]
    shown: Check = {
        "id": "",
        "tone": (Tone.STRONG if settled else Tone.ERROR).value,
        "word": clean(str(label)) if settled else "no label",
        "text": clean(str(item.get("sentence", ""))),
        "reason": text_of("\n".join(filter(None, reasons))),
    }
    if is_votes(votes := item.get("votes")):
        shown["votes"] = _votes(votes)
    return shown


def _votes(votes: JsonObject) -> VotesView:
    tally: dict[str, int] = dict(votes["tally"])
    decided = votes.get("label")
    order = sorted(tally.items(), key=lambda pair: (pair[0] != decided, pair[0] == "lost", -pair[1], pair[0]))
    text = votes_text(votes)
    if votes.get("stopped_early") is True:
        text += "; more could not have changed it"
    if isinstance(confidence := votes.get("confidence"), float):
        text += f"; confidence {confidence:.2f}"
    rows = [_vote(vote) for vote in cast("Sequence[JsonObject]", votes.get("votes", ()))]
    return {"text": clean(text), "bars": [(clean(label), count) for label, count in order], "rows": rows}


def _vote(vote: JsonObject) -> tuple[str, str, str]:
    label, notes = vote.get("label"), vote.get("notes")
    reasons: JsonObject = cast("JsonObject", notes) if isinstance(notes, dict) else {}
    reason = reasons.get("rationale") or next(iter(reasons.values()), "")
    why = reason if label else vote.get("lost", "")
    return clean(str(vote.get("model", "?"))), clean(str(label or "lost")), clean(str(why or ""))


def _pair(entry: JsonObject) -> CallPair:
    sign, tone, words = CALL_MARKS[entry["status"]]
    differences: list[JsonObject] = entry.get("differences", [])
    changed = {_first_key(str(item.get("path", "$"))): None for item in differences}
    expected, actual = (
        None
        if (call := entry.get(side)) is None
        else call_view(str(call.get("name", "?")), call.get("args"), changed)
        for side in ("expected", "actual")
    )
    return {
        "sign": sign,
        "tone": tone.value,
        "words": words,
        "expected": expected,
        "actual": actual,
        "differences": [_difference(item) for item in differences],
    }


def _first_key(path: str) -> str:
    """The argument to which a path belongs."""
    return path.removeprefix("$").removeprefix(".").split(".")[0].split("[")[0]


def _difference(item: JsonObject) -> Difference:
    path = str(item.get("path", "$")).removeprefix("$").removeprefix(".") or "arguments"
    sides = [
        json.dumps(item[side], ensure_ascii=False, default=str) if side in item else None
        for side in ("expected", "actual")
    ]
    left: list[Segment] | None
    right: list[Segment] | None
    if sides[0] is None or sides[1] is None:
        left, right = (None if side is None else whole(side) for side in sides)
    else:
        left, right, _ = compared(sides[0], sides[1])
    return {"path": clean(path), "expected": left, "actual": right}


def _fault(details: JsonObject) -> Fault:
    others = cast("list[JsonObject]", details["runners_up"])
    return {"first": _place(details), "others": [_place(other) for other in others]}


def _place(place: JsonObject) -> Place:
    return {"step": int(place.get("step") or 0), "agent": clean(str(place.get("agent") or ""))}


def _note(code: str) -> str:
    return clean(CODE_WORDS.get(code) or FLAG_WORDS.get(code) or code.replace("_", " "))


def _json_text(value: JsonValue) -> Text:
    return text_of(json.dumps(value, ensure_ascii=False, default=str), 20_000)
