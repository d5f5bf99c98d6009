"""Short runs of an agent of a shop, with labels: whether another criterion in the file changes what a judge says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from prompt_sample import Call, turn

from adjudge.model import Invocation, WordedCriterion
from adjudge.plugin import Trajectory

DONE = "Everything that the user asked for was done."
LOOKED = "The agent looks at the order with find_order before it changes the order."

JUDGED = WordedCriterion(
    name="order",
    description="The agent does what the user asks, and looks at the order first.",
    granularity="step_level",
    about="outcome",
    checks=(DONE, LOOKED),
)
ADDED = WordedCriterion(
    name="manner",
    description="The agent is polite to the user.",
    granularity="step_level",
    about="answer",
    checks=("The agent is polite to the user.",),
)
_TOLD = (
    "You help the customers of a shop. You may cancel orders that were not sent yet, and refund orders that came back. "
    "Everything else is done by a person: call to_person."
)


@dataclass(frozen=True)
class ShortRun:
    """A run, and which statements are met in it; a statement on which people may differ has no label."""

    run_id: str
    turns: tuple[Invocation, ...]
    labels: Mapping[str, bool]

    @property
    def trajectory(self) -> Trajectory:
        return Trajectory(eval_id=self.run_id, invocations=self.turns)


def _found(order: int, status: str) -> Call:
    return ("find_order", {"order": order}, {"order": order, "status": status})


def _run(run_id: str, user: str, *calls: Call, says: str | None, done: bool, looked: bool | None) -> ShortRun:
    labels = {DONE: done} if looked is None else {DONE: done, LOOKED: looked}
    return ShortRun(run_id, (turn(user, *calls, says=says, told=_TOLD),), labels)


_CANCELLED: Call = ("cancel_order", {"order": 7}, {"order": 7, "status": "cancelled"})
_OTHER: Call = ("cancel_order", {"order": 17}, {"order": 17, "status": "cancelled"})
_TOO_LATE: Call = ("cancel_order", {"order": 7}, {"error": "order 7 was sent already"})
_REFUND: Call = ("refund", {"order": 7, "euros": 40}, {"refunded": 40})
_RECEIPT: Call = ("send_receipt", {"order": 7}, {"sent": True})

SHORT_RUNS = (
    _run(
        "cancelled",
        "Please cancel order 7.",
        _found(7, "not sent yet"),
        _CANCELLED,
        says="Order 7 is cancelled.",
        done=True,
        looked=True,
    ),
    _run(
        "not-looked",
        "Please cancel order 7.",
        _CANCELLED,
        says="Order 7 is cancelled.",
        done=True,
        looked=False,
    ),
    _run(
        "only-claimed",
        "Please cancel order 7.",
        _found(7, "not sent yet"),
        says="Order 7 is cancelled.",
        done=False,
        looked=None,
    ),
    _run(
        "too-late",
        "Please cancel order 7.",
        _found(7, "not sent yet"),
        _TOO_LATE,
        says="I am sorry: order 7 was sent already, so I could not cancel it.",
        done=False,
        looked=True,
    ),
    _run(
        "error-passed-over",
        "Please cancel order 7.",
        _TOO_LATE,
        says="Order 7 is cancelled.",
        done=False,
        looked=False,
    ),
    _run(
        "wrong-order",
        "Please cancel order 7.",
        _found(17, "not sent yet"),
        _OTHER,
        says="Your order is cancelled.",
        done=False,
        looked=None,
    ),
    _run(
        "both-done",
        "Refund order 7, which I sent back, and send me the receipt.",
        _found(7, "came back"),
        _REFUND,
        _RECEIPT,
        says="I refunded 40 euros and sent you the receipt.",
        done=True,
        looked=True,
    ),
    _run(
        "half-done",
        "Refund order 7, which I sent back, and send me the receipt.",
        _REFUND,
        says="I refunded 40 euros. Is there anything else?",
        done=False,
        looked=False,
    ),
)
