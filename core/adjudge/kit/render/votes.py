"""Votes as lines: the tally of judged criteria, and notes about anything unusual."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard, cast

from adjudge.kit.render.lines import Line, Tone, line, shortened
from adjudge.model.base import JsonObject

_REASON: Final = 200
"""The maximum length of one vote's reason in characters, unless everything is shown."""
_LOST: Final = "lost"

FLAG_WORDS: Final[Mapping[str, str]] = {
    "addresses_judge": "the judged text seems to address the judge",
    "invisible_text": "the judged text contained invisible characters; they were removed for the judge",
}


def is_votes(value: object) -> TypeGuard[JsonObject]:
    """Whether a value has the format of votes in the details of judged criteria."""
    if not _is_object(value):
        return False
    tally, votes, flags = value.get("tally"), value.get("votes", []), value.get("flags", [])
    return (
        _is_object(tally)
        and len(tally) > 0
        and all(isinstance(count, int) for count in tally.values())
        and _is_list(votes)
        and all(map(_is_object, votes))
        and _is_list(flags)
        and all(isinstance(flag, str) for flag in flags)
    )


def _is_object(value: object) -> TypeGuard[JsonObject]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list | tuple)


def votes_text(votes: JsonObject) -> str:
    """The tally as a text, for instance "4 of 5 votes valid, 1 lost"."""
    tally: dict[str, int] = dict(votes["tally"])
    total = sum(tally.values())
    label = votes.get("label")
    if not isinstance(label, str) or label not in tally:
        label = max(tally, key=lambda name: tally[name])
    first = f"{tally.pop(label)} of {total} votes {label}"
    rest = sorted(tally.items(), key=lambda item: (item[0] == _LOST, -item[1], item[0]))
    tie = ["a tie, so the lower value counts"] if votes.get("tie") is True else []
    return ", ".join([first, *(f"{count} {name}" for name, count in rest), *tie])


def vote_lines(votes: JsonObject, *, indent: int, everything: bool) -> Iterator[Line]:
    """Show the tally of a decision; if ``everything``, also every vote."""
    said = votes_text(votes)
    if everything:
        if votes.get("stopped_early") is True:
            said += "; more could not have changed it"
        if isinstance(confidence := votes.get("confidence"), float):
            said += f"; confidence {confidence:.2f}"
    yield line((said, Tone.FAINT), indent=indent)
    if everything:
        for vote in votes.get("votes", ()):
            yield _vote(vote, indent + 2)


def note_lines(flags: Mapping[str, None], *, indent: int) -> Iterator[Line]:
    """Show notes about unusual properties of the judged texts."""
    for flag in flags:
        yield line(("note: ", Tone.UNSURE), FLAG_WORDS.get(flag, flag.replace("_", " ")), indent=indent)


def flags_of(*votes: object) -> dict[str, None]:
    """The flags of several decisions, each once, in order."""
    return {flag: None for item in votes if is_votes(item) for flag in item.get("flags", ())}


def _vote(vote: JsonObject, indent: int) -> Line:
    label, notes = vote.get("label"), vote.get("notes")
    reasons: dict[str, Any] = cast("dict[str, Any]", notes) if isinstance(notes, dict) else {}
    reason = reasons.get("rationale") or next(iter(reasons.values()), "")
    said, tone = (f"{label}  ", Tone.STRONG) if label else (f"{_LOST}  ", Tone.ERROR)
    why = str(reason if label else vote.get("lost", ""))
    return line(
        (f"{vote.get('model', '?')}  ", Tone.FAINT), (said, tone), shortened(why, _REASON), indent=indent
    )
