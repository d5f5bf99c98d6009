"""Comparisons of the values in texts: JSON and numbers."""

from __future__ import annotations

import json
import math
import re
from typing import Any, cast

from adjudge.plugin import Outcome
from adjudge_text.config import JsonEqualConfig, NumericToleranceConfig

_FENCE = re.compile(r"\s*```[\w-]*[ \t]*\n(?P<inside>.*?)\n?[ \t]*```\s*", re.DOTALL)

# A sign belongs to a number only where no word or number stands before it: "3-4" is a range.
# Groups of three digits may be separated by commas, as English writes them.
_NUMBER = re.compile(r"(?:(?<![\w.])[-+])?\d+(?:,\d{3})*(?!\d)(?:\.\d+)?(?:[eE][-+]?\d+)?|(?<!\d)\.\d+")


def json_equal(actual: str, expected: str, config: JsonEqualConfig) -> Outcome:
    """1.0 where both are the same JSON value: the order of keys and the spelling of numbers do not count."""
    try:
        wanted = _parsed(expected, config)
    except (ValueError, RecursionError) as error:
        return Outcome.failed("reference_not_json", f"the reference response is not JSON: {error}")
    try:
        found = _parsed(actual, config)
    except (ValueError, RecursionError) as error:
        return Outcome.scored(0.0, f"the response is not JSON: {error}")
    if _same(found, wanted):
        return Outcome.scored(1.0, "the same JSON value")
    return Outcome.scored(0.0, "another JSON value than the reference")


def numeric_tolerance(actual: str, expected: str, config: NumericToleranceConfig) -> Outcome:
    """1.0 where both texts have the same numbers in the same order, each within a tolerance."""
    wanted, found = _numbers(expected), _numbers(actual)
    details = {"expected": wanted, "actual": found}
    if not wanted:
        return Outcome.not_applicable("the reference response has no number")
    if len(wanted) != len(found):
        return Outcome.scored(0.0, f"{len(found)} numbers, the reference has {len(wanted)}", details=details)
    far = [
        f"{number:g} is not {target:g}"
        for number, target in zip(found, wanted, strict=True)
        if abs(number - target) > max(config.absolute, config.relative * abs(target))
    ]
    return Outcome.scored(0.0 if far else 1.0, "; ".join(far) or "every number fits", details=details)


def _parsed(text: str, config: JsonEqualConfig) -> Any:
    fenced = _FENCE.fullmatch(text) if config.ignore_fences else None
    return json.loads(fenced["inside"] if fenced else text, parse_constant=_refused)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON: ``1`` is ``1.0``, but ``true`` is not ``1`` as it is in Python."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        ours, theirs = cast("dict[str, Any]", left), cast("dict[str, Any]", right)
        return ours.keys() == theirs.keys() and all(_same(ours[key], theirs[key]) for key in ours)
    if isinstance(left, list) and isinstance(right, list):
        items, others = cast("list[object]", left), cast("list[object]", right)
        return len(items) == len(others) and all(map(_same, items, others))
    return bool(left == right)


def _numbers(text: str) -> list[float]:
    found = (float(match[0].replace(",", "")) for match in _NUMBER.finditer(text))
    return [number for number in found if math.isfinite(number)]
