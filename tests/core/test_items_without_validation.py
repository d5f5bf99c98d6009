"""The constructors of items for readers make what the classes make."""

from __future__ import annotations

import pytest

from adjudge.kit import items
from adjudge.model import Claim, ErrorItem, Observation, Step, Text, ToolCall, ToolResult, Usage
from adjudge.model.base import Frozen

EXTRA = {"key": [1]}
TEXT = Text(text="t")
STEP = {
    "author": "a",
    "role": "assistant",
    "form": "event",
    "source_ref": "log.json $",
    "model": "m",
    "usage": Usage(input_tokens=1),
    "started_at": 1.0,
    "duration": 2.0,
    "parent_call_id": "c",
    "extra": EXTRA,
}


@pytest.mark.parametrize(
    ("made", "validated"),
    [
        (items.claim("t"), Claim(text="t")),
        (items.claim("t", "memory"), Claim(field="memory", text="t")),
        (items.text("t"), TEXT),
        (items.call("n", None), ToolCall(name="n")),
        (
            items.call("n", EXTRA, "r", id="i", extra=EXTRA),
            ToolCall(name="n", args=EXTRA, raw_args="r", id="i", extra=EXTRA),
        ),
        (items.result(None), ToolResult()),
        (
            items.result(1, name="n", call_id="c", extra=EXTRA),
            ToolResult(name="n", value=1, call_id="c", extra=EXTRA),
        ),
        (items.observation("t"), Observation(text="t")),
        (items.observation("t", "s"), Observation(text="t", source="s")),
        (items.error("m"), ErrorItem(message="m")),
        (items.error("m", "c"), ErrorItem(message="m", code="c")),
        (items.step(1, ()), Step(number=1)),
        (items.step(2, (TEXT,), **STEP), Step(number=2, items=(TEXT,), **STEP)),  # type: ignore[arg-type]
    ],
)
def test_an_item_that_is_not_validated_is_the_same(made: Frozen, validated: Frozen) -> None:
    assert made == validated
    assert list(made.__dict__) == list(validated.__dict__)
    assert made.model_dump_json() == validated.model_dump_json()
    assert type(validated).model_validate_json(made.model_dump_json()) == validated
    assert made.model_copy() == validated
    with pytest.raises(ValueError, match="frozen"):
        made.extra = None  # type: ignore[attr-defined]
