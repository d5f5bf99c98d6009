"""The cost of judge calls and the budget of a run, which is checked before each call."""

from __future__ import annotations

import importlib.util
from decimal import Decimal
from typing import Final

from adjudge.errors import AdjudgeError
from adjudge.model.judging import JudgeRequest
from adjudge.model.step import Usage

_TOKEN: Final = 3
"""Assumed characters per token. Lower than in most languages, so that estimates are rather too high."""
_ANSWER: Final = 1024
"""Estimated tokens of an answer, before any answer is known."""

PRICES_MODULE: Final = "genai_prices"


class BudgetSpentError(AdjudgeError):
    """A further call would exceed the budget of the run."""


def prices_installed() -> bool:
    """Whether the extra ``prices`` is installed."""
    return importlib.util.find_spec(PRICES_MODULE) is not None


def cost_of(provider: str | None, model: str, usage: Usage | None) -> float | None:
    """The cost of one call in USD; ``None`` if the price or the tokens are unknown.

    Args:
        provider: The provider's id in the price list; ``""`` for a local model without
            cost, ``None`` if it is unknown.
        model: The provider's name for the model.
        usage: What the provider reports.
    """
    if provider == "":
        return 0.0
    if provider is None or usage is None or not prices_installed():
        return None
    import genai_prices

    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
    )
    try:
        price: Decimal = genai_prices.calc_price(counted, model, provider_id=provider).total_price
    except (LookupError, ValueError):
        return None
    return float(price)


class Budget:
    """The remaining budget of a run."""

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        """Allow at most ``max_calls`` calls, retries not counted, and ``max_cost`` USD; ``None``: no limit."""
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._calls = 0
        self._spent = 0.0
        self._reserved = 0.0
        self._largest = 0.0

    @property
    def left(self) -> tuple[int | None, float | None]:
        """Calls and USD that may still be spent; ``None``: no limit."""
        calls = None if self._max_calls is None else self._max_calls - self._calls
        cost = None if self._max_cost is None else max(0.0, self._max_cost - self._spent)
        return calls, cost

    def reserve(self, provider: str | None, request: JudgeRequest) -> float:
        """Reserve the budget for one call.

        Returns:
            The reserved USD, to be passed to ``settle``.

        Raises:
            BudgetSpentError: the remaining budget may not be enough for the call.
        """
        if self._max_calls is not None and self._calls >= self._max_calls:
            raise BudgetSpentError(f"the budget of {self._max_calls} judge calls is used up")
        estimate = 0.0
        if self._max_cost is not None:
            letters = sum(len(message.text) for message in request.messages)
            tokens = Usage(input_tokens=letters // _TOKEN, output_tokens=_ANSWER)
            estimate = max(self._largest, cost_of(provider, request.model, tokens) or 0.0)
            if self._spent + self._reserved + estimate > self._max_cost:
                raise BudgetSpentError(
                    f"a further judge call could exceed the budget of {self._max_cost:g} USD "
                    f"({self._spent:.4f} USD are spent)"
                )
        self._calls += 1
        self._reserved += estimate
        return estimate

    def settle(self, reserved: float, cost: float | None) -> None:
        """Replace the reservation of a call by its actual cost."""
        self._reserved -= reserved
        spent = reserved if cost is None else cost
        self._spent += spent
        self._largest = max(self._largest, spent)
