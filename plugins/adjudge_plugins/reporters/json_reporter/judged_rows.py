"""Rows of what judges did: rubrics with their votes, what was asked, and what it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from adjudge.kit import render
from adjudge.model import Evidence, Failure, JsonObject, JudgeCalls, JudgeUse, Participant, RubricScore, Usage

if TYPE_CHECKING:
    from adjudge_plugins.reporters.json_reporter import shared_document as doc


def rubric_row(score: RubricScore) -> doc.RubricScoreRow:
    """One rubric."""
    return {
        "rubric_id": score.rubric_id,
        "score": score.score,
        "rationale": score.rationale,
        "state": score.state,
        "unsure_code": score.unsure_code,
        "error": failure_row(score.error),
        "votes": votes_row(score.votes) if render.is_votes(score.votes) else None,
    }


def votes_row(votes: JsonObject) -> doc.VotesRow:
    """Fill in what ``votes_of`` leaves out."""
    return {
        "label": votes.get("label"),
        "tally": votes["tally"],
        "tie": votes.get("tie", False),
        "stopped_early": votes.get("stopped_early", False),
        "confidence": votes.get("confidence"),
        "flags": list(votes.get("flags", ())),
        "votes": [
            {
                "model": vote.get("model", ""),
                "sample": vote.get("sample", 0),
                "label": vote.get("label"),
                "notes": vote.get("notes", {}),
                "citations": vote.get("citations", []),
                "dropped_citations": vote.get("dropped_citations", 0),
                "lost": vote.get("lost"),
            }
            for vote in votes.get("votes", ())
        ],
    }


def participant_row(participant: Participant) -> doc.ParticipantRow:
    """What took part."""
    return {
        "kind": participant.kind,
        "component": participant.component,
        "version": participant.version,
        "distribution": participant.distribution,
        "distribution_version": participant.distribution_version,
    }


def judging_row(use: JudgeUse | None) -> doc.JudgingRow | None:
    """What a criterion asked."""
    if use is None:
        return None
    return {
        "models": list(use.models),
        "model_versions": list(use.model_versions),
        "prompts": use.prompts,
        "votes": use.votes,
        "lost_votes": use.lost_votes,
        "usage": usage_row(use.usage),
        "cost": use.cost,
    }


def judge_calls_row(calls: JudgeCalls) -> doc.JudgeCallsRow:
    """What one model did."""
    return {
        "calls": calls.calls,
        "cached": calls.cached,
        "retries": calls.retries,
        "failed": calls.failed,
        "usage": usage_row(calls.usage),
        "cost": calls.cost,
        "items": calls.items,
        "unanimous": calls.unanimous,
    }


def evidence_row(evidence: Evidence) -> doc.EvidenceRow:
    """What supports a decision."""
    return {
        "citations": [
            {"step": citation.step, "field": citation.field, "quote": citation.quote}
            for citation in evidence.citations
        ],
        "absences": [{"steps": list(absence.steps), "scan": absence.scan} for absence in evidence.absences],
    }


@overload
def failure_row(failure: Failure) -> doc.FailureRow: ...
@overload
def failure_row(failure: None) -> None: ...
def failure_row(failure: Failure | None) -> doc.FailureRow | None:
    """Why something could not be measured."""
    if failure is None:
        return None
    return {
        "code": failure.code,
        "message": failure.message,
        "origin": failure.origin,
        "retryable": failure.retryable,
    }


def usage_row(usage: Usage | None) -> doc.UsageRow | None:
    """Tokens."""
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "tool_use_tokens": usage.tool_use_tokens,
    }
