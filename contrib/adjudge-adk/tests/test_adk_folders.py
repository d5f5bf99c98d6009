"""Agents in folders, as ``adk eval`` takes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripted import turn
from zoo_files import written

import adjudge
from adjudge import InputError
from adjudge.kit.judged_criteria import agent_instructions, agent_moves, tool_declarations

CASES = "home_automation_agent/simple_test.test.json"
CONFIG = {"criteria": {"response_match_score": 1.0}}


@pytest.mark.parametrize(
    "target",
    [
        "home_automation_agent",
        "home_automation_agent/",
        "home_automation_agent/__init__.py",
        "home_automation_agent/agent.py",
        "home_automation_agent.agent:root_agent",
        "adk:home_automation_agent",
        "adk:home_automation_agent.agent",
    ],
)
def test_an_agent_is_named_as_its_user_names_it(home_agent: Path, target: str) -> None:
    result = adjudge.evaluate_sync(target, CASES)

    assert result.passed, [case.error for case in result.cases()]


def test_sessions_begin_with_their_state_and_share_nothing(home_agent: Path) -> None:
    config = {
        "criteria": {
            "tool_trajectory_avg_score": 1.0,
            "response_match_score": 1.0,
            "session_state_match": 1.0,
        }
    }

    result = adjudge.evaluate_sync("home_automation_agent", f"{home_agent}/rooms.evalset.json", config=config)

    assert {case.eval_id: case.status for case in result.cases()} == {
        "off_then_asked": "PASS",
        "on_from_the_start": "PASS",
    }
    first, second = result.details()
    assert first.actual.final_session_state == {"user_name": "Ann", "device_2": "OFF"}
    assert second.actual.final_session_state == {"device_2": "ON"}


@pytest.mark.parametrize("named", ["rooms", "rooms:on_from_the_start"])
def test_an_eval_set_is_named_by_its_id(home_agent: Path, named: str) -> None:
    result = adjudge.evaluate_sync("home_automation_agent", named)

    assert [case.eval_id for case in result.cases()][-1] == "on_from_the_start"
    assert result.passed


def test_an_id_that_the_folder_lacks_is_answered_with_those_that_it_has(home_agent: Path) -> None:
    (home_agent / "lights.evalset.json").write_text("{}")

    with pytest.raises(InputError) as refused:
        adjudge.evaluate_sync("home_automation_agent", "roms:on_from_the_start")

    assert "no eval set of that id in the folder of the agent. Did you mean 'rooms'?" in str(refused.value)
    assert "It has: lights, rooms" in str(refused.value)


def test_events_become_steps(home_agent: Path) -> None:
    result = adjudge.evaluate_sync("home_automation_agent", "rooms:off_then_asked")

    [done] = result.details()
    asked, answered = done.actual.invocations
    [call] = asked.tool_calls
    [told] = asked.tool_results
    assert call.id == told.call_id
    assert told.value == {"result": "device_2 in the Bedroom is OFF."}
    assert {step.author for step in asked.steps} == {"home_automation_agent"}
    assert [step.usage.total_tokens for step in asked.steps if step.usage] == [15, 15]
    assert all(step.started_at for step in asked.steps)
    assert asked.duration is not None
    assert asked.model_duration is not None
    assert asked.invocation_id != answered.invocation_id
    [agent] = asked.app_details.agent_details.values()
    assert agent.instructions.startswith("You switch devices of Ann.")
    declared = json.dumps(agent.tool_declarations)
    assert "set_device_info" in declared
    assert "Says whether a device is on." in declared


def test_a_judge_is_shown_what_the_agents_were_told_and_could_call(workspace: Path) -> None:
    folder = written("agent_tool", workspace)

    result = adjudge.evaluate_sync(str(folder), f"{folder / 'cases.evalset.json'}:asked")

    [done] = result.details()
    [asked] = done.actual.invocations
    assert "You look up words." in agent_instructions(asked).text
    assert "Looks a word up." in tool_declarations(asked).text
    assert "the chat" in agent_moves(asked).text


def test_a_step_shows_the_event_the_request_and_the_response_each_text_kept_once(home_agent: Path) -> None:
    from adjudge_adk.exhibits import restored

    result = adjudge.evaluate_sync("home_automation_agent", "rooms:off_then_asked")

    [done] = result.details()
    exhibits: dict[str, Any] = {}
    for invocation in done.actual.invocations:
        exhibits |= (invocation.extra or {}).get("exhibits", {})
    whole = done.actual.model_dump_json()
    assert whole.count("You switch devices of Ann.") == 1 + 2  # the table, and the instructions of two turns
    last = [step for step in done.actual.steps if step.model_request is not None][-1]
    request = restored(last.model_request, exhibits)
    assert [content["role"] for content in request["contents"]] == [
        "user",
        "model",
        "user",
        "model",
        "user",
        "model",
        "user",
    ]
    assert request["config"]["system_instruction"].startswith("You switch devices of Ann.")
    assert restored(last.model_response, exhibits)["content"]["parts"] == [{"text": "It is off."}]
    assert restored(last.raw_event, exhibits)["content"]["parts"] == [{"text": "It is off."}]


def test_the_evaluation_package_of_google_adk_is_never_imported(home_agent: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import adjudge
assert adjudge.evaluate_sync("home_automation_agent", "rooms").passed
print([name for name in sys.modules if name.startswith("google.adk.evaluation")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_the_env_file_of_the_folder_is_read_before_the_agent(
    home_agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SET_BY_A_FILE", "")
    monkeypatch.delenv("SET_BY_A_FILE")
    (home_agent / ".env").write_text("SET_BY_A_FILE=yes\nPATH=nowhere\n")
    agent = home_agent / "agent.py"
    agent.write_text("import os\nassert os.environ['SET_BY_A_FILE'] == 'yes'\n" + agent.read_text())

    assert adjudge.evaluate_sync("home_automation_agent", CASES).passed


@pytest.mark.parametrize(
    ("name", "source", "told"),
    [
        ("agent.py", "import nowhere_to_be_found\n", "agent.py:1)"),
        ("agent.py", "x = 1\n\n1 / 0\n", "agent.py:3)"),
        ("agent.py", "def broken(:\n", "agent.py:1)"),
        ("agent.py", "import sys\nsys.exit(4)\n", "SystemExit: 4"),
        ("agent.py", "rot_agent = None\n", "has none of app, root_agent, get_agent_async"),
        ("agent.py", "root_agent = print\n", "not an agent of google-adk"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_before_the_run(
    home_agent: Path, name: str, source: str, told: str
) -> None:
    (home_agent / name).write_text(source)

    with pytest.raises(InputError) as refused:
        adjudge.evaluate_sync("home_automation_agent", CASES)

    assert told in str(refused.value)
    assert "home_automation_agent" in str(refused.value)


@pytest.mark.parametrize("name", ["calendar", "adjudge", "my-agent"])
def test_a_folder_may_have_the_name_of_a_library(home_agent: Path, name: str) -> None:
    home_agent.rename(home_agent.parent / name)

    assert adjudge.evaluate_sync(name, f"{name}/simple_test.test.json").passed

    import calendar

    assert calendar.isleap(2024)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("LlmAgent(name='late')", "get_agent_async gave an object of type LlmAgent alone, expected"),
        ("('late', None)", "get_agent_async gave a pair whose first is an object of type str, expected"),
        ("None", "get_agent_async gave an object of type NoneType alone, expected"),
        ("1 / 0", "get_agent_async raised ZeroDivisionError: division by zero"),
        ("exit(3)", "get_agent_async raised SystemExit: 3"),
    ],
)
def test_what_get_agent_async_has_to_give_is_said_before_the_run(
    home_agent: Path, made: str, told: str
) -> None:
    (home_agent / "agent.py").write_text(
        f"from google.adk.agents import LlmAgent\n\nasync def get_agent_async():\n    return {made}\n"
    )

    with pytest.raises(InputError) as refused:
        adjudge.evaluate_sync("home_automation_agent", CASES)

    assert told in str(refused.value)
    assert "raised" in told or "return agent, AsyncExitStack()" in str(refused.value)


def test_what_google_adk_imports_is_imported_before_the_first_case(home_agent: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import adjudge
before = set()
def watch(event):
    if type(event).__name__ == "CaseStarted" and not before:
        before.update(sys.modules)
assert adjudge.evaluate_sync("home_automation_agent", "rooms", watch=watch).passed
late = [name for name in set(sys.modules) - before if name.startswith("google.")]
print(late if len(late) > 5 else "few")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "few"


SHOP = """
from google.adk.agents import LlmAgent
from scripted import Scripted
{imports}

root_agent = LlmAgent(name="shop", model=Scripted(reply=lambda _: WORD))
"""


def shop_in(folder: Path, imports: str) -> str:
    """An agent that says the name of the folder above it."""
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "__init__.py").write_text("from . import agent\n")
    (folder / "shop" / "words.py").write_text(f"WORD = {folder.name!r}\n")
    (folder / "shop" / "agent.py").write_text(SHOP.format(imports=imports))
    case = {"eval_id": "one", "conversation": [turn("Hello.", folder.name)]}
    (folder / "shop" / "one.evalset.json").write_text(
        json.dumps({"eval_set_id": "one", "eval_cases": [case]})
    )
    return str(folder / "shop")


def test_two_agents_of_one_name_have_each_their_own_modules(workspace: Path) -> None:
    for name in ("x", "y", "x"):
        target = str(workspace / name / "shop")
        if not Path(target).exists():
            shop_in(workspace / name, "from .words import WORD")
        assert adjudge.evaluate_sync(target, "one", config=CONFIG).passed, name


def test_an_agent_never_runs_with_the_modules_of_another_of_its_name(workspace: Path) -> None:
    first = shop_in(workspace / "x", "from shop.words import WORD")
    second = shop_in(workspace / "y", "def later():\n    import shop.words\nWORD = 'y'")
    assert adjudge.evaluate_sync(first, "one", config=CONFIG).passed

    with pytest.raises(InputError) as refused:
        adjudge.evaluate_sync(second, "one", config=CONFIG)

    assert "it imports 'shop'" in str(refused.value)
    assert f"that name belongs to {workspace / 'x' / 'shop' / '__init__.py'} here" in str(refused.value)
    assert "Write relative imports" in str(refused.value)


def test_a_folder_whose_name_is_no_module_name_finds_its_neighbours_too(workspace: Path) -> None:
    target = shop_in(workspace / "y", "from vocabulary import WORD")
    (workspace / "y" / "vocabulary.py").write_text("WORD = 'y'\n")
    renamed = Path(target).rename(workspace / "y" / "my-shop")

    assert adjudge.evaluate_sync(str(renamed), "one", config=CONFIG).passed


# google-adk's own, of how it reads the file.
@pytest.mark.filterwarnings("ignore:LlmAgentConfig is deprecated:DeprecationWarning")
def test_an_agent_is_made_from_its_yaml_alone(workspace: Path) -> None:
    folder = workspace / "written"
    folder.mkdir()
    (folder / "root_agent.yaml").write_text(
        "name: written\nmodel: gemini-2.5-flash\ninstruction: Say hello.\n"
        "before_model_callbacks:\n  - name: written.answers.fine\n"
    )
    (folder / "answers.py").write_text(
        "from google.adk.models.llm_response import LlmResponse\n"
        "from google.genai import types\n\n"
        "def fine(callback_context, llm_request):\n"
        "    return LlmResponse(content=types.Content(role='model', parts=[types.Part(text='fine')]))\n"
    )
    case = {"eval_id": "one", "conversation": [turn("Hello.", "fine")]}
    (folder / "one.evalset.json").write_text(json.dumps({"eval_set_id": "one", "eval_cases": [case]}))

    result = adjudge.evaluate_sync("written", "one", config=CONFIG)

    assert result.passed, [each.error for each in result.cases()]


def test_a_name_that_google_adk_refuses_is_told_with_the_line_of_the_agent(workspace: Path) -> None:
    folder = workspace / "misnamed"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "agent.py").write_text(
        "from google.adk.agents import LlmAgent\nroot_agent = LlmAgent(name='my weather')\n"
    )

    with pytest.raises(InputError, match=r"misnamed/agent\.py:2"):
        adjudge.evaluate_sync("misnamed", "one")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        (".", "There is home_automation_agent."),
        ("home_automation_agent/agent.py:root_agent", "Write only home_automation_agent/agent.py."),
        ("home_automation_agent/rooms.evalset.json", "The agent comes first, then the eval sets"),
    ],
)
def test_a_path_beside_an_agent_is_answered_with_what_to_write(
    home_agent: Path, target: str, told: str
) -> None:
    with pytest.raises(InputError) as refused:
        adjudge.evaluate_sync(target, CASES)

    assert told in str(refused.value)


def test_a_mark_of_pytest_finds_the_agent_beside_the_test_and_the_eval_set_by_its_id(
    home_agent: Path,
) -> None:
    tests = home_agent.parent / "suite"
    tests.mkdir()
    home_agent.rename(tests / home_agent.name)
    (tests / "test_rooms.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.adjudge('home_automation_agent', 'rooms:on_from_the_start')\n"
        "def test_rooms(adjudge_case):\n    pass\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "suite"],
        cwd=tests.parent,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "1 passed" in done.stdout, done.stdout + done.stderr
