"""The text, tone and sign of every status. The tone determines the colour."""

from __future__ import annotations

from typing import Final, get_args

from adjudge.kit.render.lines import Tone
from adjudge.kit.render.run_words import status_word
from adjudge.kit.render.scores import tone_of
from adjudge.kit.viewer.documents import ViewerWords
from adjudge.model.verdict import Status

_SIGNS: Final[dict[Status, str]] = {
    "PASS": "✓",
    "FAIL": "✕",
    "UNSURE": "?",
    "error": "!",
    "not_applicable": "–",
    "informational": "i",
}
"""Signs that distinguish statuses without colours."""

WORDS: Final[ViewerWords] = {
    "statuses": {
        **{
            status: (status_word(status), tone_of(status).value, _SIGNS[status])
            for status in get_args(Status)
        },
        "unfinished": ("not finished", Tone.FAINT.value, "…"),
    }
}
"""The texts of statuses, included in every document."""
