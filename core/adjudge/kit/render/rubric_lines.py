"""Single decisions of a judge as lines: rubrics, and sentences of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeGuard, cast

from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.kit.render.scores import score_text
from adjudge.kit.render.votes import flags_of, is_votes, note_lines, vote_lines, votes_text
from adjudge.model.base import JsonObject
from adjudge.model.measurement import OutcomeState, RubricScore

_REASON: Final = 300
UNSCORED_RUBRIC: Final[dict[OutcomeState, tuple[str, Tone]]] = {
    "not_applicable": ("does not apply", Tone.FAINT),
    "unsure": ("undecided", Tone.UNSURE),
    "error": ("could not be judged", Tone.ERROR),
}
_SETTLED: Final = ("scored", "not_applicable")


def rubric_lines(scores: Sequence[RubricScore], *, indent: int, everything: bool) -> Iterator[Line]:
    """Show rubrics with their verdicts and reasons; unless ``everything``, those that hold or do not apply are counted."""
    shown = [item for item in scores if everything or _lowers(item)]
    for item in shown:
        yield from _rubric(item, indent, everything=everything)
    if rest := len(scores) - len(shown):
        other = " other" if shown else ""
        words = "rubric is met or does not apply" if rest == 1 else "rubrics are met or do not apply"
        yield line((f"{rest}{other} {words}", Tone.FAINT), indent=indent)
    yield from note_lines(dict.fromkeys(flag for item in scores for flag in item.votes.flags), indent=indent)


def _lowers(item: RubricScore) -> bool:
    return item.score < 1 if item.score is not None else item.state != "not_applicable"


def _rubric(item: RubricScore, indent: int, *, everything: bool) -> Iterator[Line]:
    said, tone = UNSCORED_RUBRIC.get(item.state, ("no score", Tone.PLAIN))
    if item.score is not None:
        said = {1.0: "yes", 0.0: "no"}.get(item.score) or score_text(item.score)
        tone = Tone.PASS if item.score == 1 else Tone.FAIL
    code = f" ({item.unsure_code})" if item.unsure_code else ""
    votes = item.votes.model_dump()
    tally = f"  {votes_text(votes)}" if is_votes(votes) and not everything else ""
    yield line((f"{item.rubric_id}  ", Tone.STRONG), (said + code, tone), (tally, Tone.FAINT), indent=indent)
    reason = item.error.message if item.error is not None else item.rationale
    if reason:
        yield line(reason if everything else shortened(reason, _REASON), indent=indent + 4)
    if everything and is_votes(votes):
        yield from vote_lines(votes, indent=indent + 4, everything=True)


def is_sentences(texts: object) -> TypeGuard[list[JsonObject]]:
    """Whether a value has the format of ``details["texts"]`` of criteria that check sentences."""
    return isinstance(texts, list) and all(
        isinstance(text, dict)
        and isinstance(sentences := cast("JsonObject", text).get("sentences"), list)
        and all(isinstance(sentence, dict) for sentence in cast("list[object]", sentences))
        for text in cast("list[object]", texts)
    )


def sentence_lines(texts: Sequence[JsonObject], *, indent: int, everything: bool) -> Iterator[Line]:
    """Show sentences with their labels and reasons; unless ``everything``, only notes about anything unusual.

    The reason of the score already names the sentences that lower it.
    """
    sentences: list[JsonObject] = [item for text in texts for item in text["sentences"]]
    for item in sentences if everything else ():
        state, label = item.get("state"), item.get("label")
        named = (str(label), Tone.STRONG) if state in _SETTLED and label else ("no label", Tone.ERROR)
        yield line(named, f"  {item.get('sentence', '')}", indent=indent)
        if rationale := item.get("rationale"):
            yield line(str(rationale), indent=indent + 4)
        if excerpt := item.get("excerpt"):
            found = "" if item.get("excerpt_found") else " (not found in the evidence)"
            yield line(("excerpt: ", Tone.FAINT), str(excerpt), (found, Tone.UNSURE), indent=indent + 4)
        if is_votes(votes := item.get("votes")):
            yield from vote_lines(votes, indent=indent + 4, everything=True)
    yield from note_lines(flags_of(*(item.get("votes") for item in sentences)), indent=indent)
