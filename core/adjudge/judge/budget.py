"""What judge calls cost, and what a run may spend. A budget is asked before a call is made."""

from __future__ import annotations

import importlib.util
from decimal import Decimal
from typing import Final

from adjudge.errors import AdjudgeError
from adjudge.model.judging import JudgeRequest
from adjudge.model.step import Usage

_TOKEN: Final = 3
"""Characters. Fewer than in most languages: an estimate before a call should not be too low."""
_ANSWER: Final = 1024
"""Tokens that an answer is estimated to have before the first one is there."""

PRICES_MODULE: Final = "genai_prices"


class BudgetSpentError(AdjudgeError):
    """A further call would exceed the budget of the run."""


def prices_installed() -> bool:
    """Whether the extra ``prices`` is there."""
    return importlib.util.find_spec(PRICES_MODULE) is not None


def cost_of(provider: str | None, model: str, usage: Usage | None) -> float | None:
    """USD for the tokens of one call; ``None`` where the price or the tokens are not known.

    Args:
        provider: The provider's id in the price list; ``""`` for a model that runs here and costs
            nothing, ``None`` where nothing is known.
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
    """What is left of a run's budget."""

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
        """Take one call from the budget.

        Returns:
            The USD reserved for it; hand them to ``settle``.

        Raises:
            BudgetSpentError: it would not be enough.
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
        """Book what a call cost in place of what was reserved for it."""
        self._reserved -= reserved
        spent = reserved if cost is None else cost
        self._spent += spent
        self._largest = max(self._largest, spent)
