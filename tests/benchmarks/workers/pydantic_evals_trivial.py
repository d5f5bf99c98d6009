"""pydantic-evals on trivial cases: ``pydantic_evals_trivial.py CASES``. Prints how many passed."""

from __future__ import annotations

import json
import sys

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

cases = [
    Case(name=f"case_{number}", inputs=f"Question {number}?", expected_output=f"Answer {number}.")
    for number in range(int(sys.argv[1]))
]


def agent(text: str) -> str:
    return f"Answer {text.removeprefix('Question ').removesuffix('?')}."


report = Dataset(name="trivial", cases=cases, evaluators=[EqualsExpected()]).evaluate_sync(
    agent, progress=False
)
json.dump(sum(case.assertions["EqualsExpected"].value for case in report.cases), sys.stdout)
