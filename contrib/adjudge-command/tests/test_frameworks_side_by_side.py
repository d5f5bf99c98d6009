"""One agent written with every framework: what was recorded differs only where the frameworks do."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.model import Invocation, Usage, total_usage

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = "docs.examples.frameworks"
PAGE = REPOSITORY / "docs" / "guide" / "frameworks.md"
MEMBERS = ("adk", "openai_agents", "pydantic_ai", "langgraph", "a2a", "command")
NAMES = {
    "adk": "Google's ADK",
    "openai_agents": "OpenAI Agents SDK",
    "pydantic_ai": "Pydantic AI",
    "langgraph": "LangGraph",
    "a2a": "A2A",
    "command": "a command",
}
# Warnings of other people's releases are theirs.
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(
        not PAGE.exists(), reason="the agents are in the repository, not in this distribution"
    ),
]


@contextmanager
def target(member: str) -> Iterator[str]:
    """What is typed to evaluate the agent."""
    pytest.importorskip(f"adjudge_{member}", reason=f"adjudge-{member} is not installed: `nox -s contrib`")
    if member == "command":
        yield f"command:{shlex.quote(sys.executable)} -m {EXAMPLES}.command_shop"
        return
    served: Any = nullcontext(None)
    if member == "a2a":
        served = importlib.import_module(f"{EXAMPLES}.a2a_shop").served()
    with served as address:
        yield f"{EXAMPLES}.{member}_shop:agent" if address is None else f"a2a:{address}"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, list[Invocation]]]]:
    """The turns of every case, by framework."""
    found: dict[str, dict[str, list[Invocation]]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(REPOSITORY)
        patch.syspath_prepend(str(REPOSITORY))
        patch.setenv("PYTHONPATH", str(REPOSITORY))
        patch.setenv("ADJUDGE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        for member in MEMBERS:
            with target(member) as agent:
                result = adjudge.evaluate_sync(agent, "docs/examples/frameworks/orders.evalset.json")
            assert result.passed, f"{member}: {[case.error for case in result.cases()]}"
            found[member] = {case.result.eval_id: list(case.actual.invocations) for case in result.details()}
        yield found


def moves(turn: Invocation) -> list[object]:
    """What the agent did in a turn, in the words that all frameworks have; handovers are left out."""
    calls = [(call.name, call.args) for call in turn.tool_calls if not is_handover(call.name)]
    results = [result for result in turn.tool_results if not is_handover(result.name or "")]
    told = [
        ("result", next((word for word in ("Rome", "Oslo", "refund") if word in str(result.value)), None))
        for result in results
    ]
    answer = None if turn.final_response is None else turn.final_response.text
    return [*calls, *sorted(told, key=str), answer]


def is_handover(name: str) -> bool:
    return name.startswith("transfer_to_")


def test_what_was_recorded_is_the_same(recorded: dict[str, dict[str, list[Invocation]]]) -> None:
    did = {
        member: {case: [moves(turn) for turn in turns] for case, turns in cases.items()}
        for member, cases in recorded.items()
    }

    assert did["command"]["two_orders"][0][:2] == [("look_up", {"order": 7}), ("look_up", {"order": 8})]
    assert {member: cases == did["command"] for member, cases in did.items()} == dict.fromkeys(MEMBERS, True)


def test_calls_made_at_a_time_stand_in_one_step_and_their_results_in_another(
    recorded: dict[str, dict[str, list[Invocation]]],
) -> None:
    for member, cases in recorded.items():
        steps = [step for step in cases["two_orders"][0].steps if step.calls or step.results]
        assert [(len(step.calls), len(step.results)) for step in steps] == [(2, 0), (0, 2)], member


def test_every_step_says_who_took_it(recorded: dict[str, dict[str, list[Invocation]]]) -> None:
    for member, cases in recorded.items():
        [refund] = cases["refund"]
        authors = [(step.author, bool(step.calls), bool(step.results)) for step in refund.steps]
        hands_over = any(is_handover(call.name) for call in refund.tool_calls)
        before = [("shop", True, False), ("shop", False, True)] if hands_over else []
        who = "refunds" if hands_over else "shop"
        # Whether the answer is a step of its own depends on whether the framework tells its tokens.
        assert authors[: len(before) + 2] == [*before, (who, True, False), (who, False, True)], member
        assert set(authors[len(before) + 2 :]) <= {(who, False, False)}, member


def test_the_page_says_where_the_frameworks_differ(
    recorded: dict[str, dict[str, list[Invocation]]],
) -> None:
    rows = re.findall(r"^\| \[(.+?)\]\(\S+\) \|(.+)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    told = {name: [cell.strip() for cell in cells.split("|")] for name, cells in rows}

    assert told == {NAMES[member]: row(cases) for member, cases in recorded.items()}


def row(cases: dict[str, list[Invocation]]) -> list[str]:
    """The row of the table."""
    [refund], [missing] = cases["refund"], cases["missing"]
    handovers = [call.name for call in refund.tool_calls if is_handover(call.name)]
    author = next(step.author for step in refund.steps if any(call.name == "refund" for call in step.calls))
    [failed] = missing.tool_results
    details = {} if refund.app_details is None else refund.app_details.agent_details
    declared = any(agent.tool_declarations for agent in details.values())
    usage = total_usage(step.usage for turns in cases.values() for turn in turns for step in turn.steps)
    return [
        f"`{handovers[0]}`" if handovers else "none",
        str(author),
        yes(failed.is_error),
        yes(isinstance(usage, Usage) and (usage.total_tokens or 0) > 0),
        yes(declared),
    ]


def yes(true: bool) -> str:
    return "yes" if true else "no"
