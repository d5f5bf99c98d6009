"""Which adapter serves an agent: by text, by file or folder, by object; and what is said where none does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import InputError
from adjudge.extension.loader import Extensions, discover
from adjudge.model import Content, Invocation
from adjudge.plugin import (
    AgentAdapterSpec,
    AgentSession,
    ComponentConfig,
    Emit,
    SessionRequest,
    hookimpl,
)
from adjudge.testing import as_candidate

INSTALL = "pip install ./contrib/adjudge-adk"
CONFIG = {"criteria": {"response_match_score": 1.0}}
ROBOT = "class Robot:\n    pass\n\nmarvin = Robot()\n"


class Robot:
    """An agent of somebody's framework: adjudge's own adapters cannot talk to it."""


class RobotConfig(ComponentConfig):
    """What the adapter is made with."""

    target: Any


class RobotSession:
    """Says what its adapter was made with."""

    def __init__(self, target: object) -> None:
        self._target = target

    async def send(self, content: Content) -> Invocation:
        said = self._target if isinstance(self._target, str) else type(self._target).__name__
        return Invocation(user_content=content, final_response=Content.of_text(f"I am {said}"))

    @property
    def state(self) -> Mapping[str, Any] | None:
        return None

    async def aclose(self) -> None:
        """Nothing is open."""


class RobotAdapter:
    """Sessions with robots."""

    def __init__(self, config: RobotConfig) -> None:
        self._target = config.target

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        return RobotSession(self._target)


class Robots:
    """The plugin of the framework."""

    def __init__(self, name: str = "robot") -> None:
        self._name = name

    @hookimpl.agent_adapters
    def agent_adapters(self) -> list[AgentAdapterSpec]:
        return [
            AgentAdapterSpec(
                name=self._name,
                summary="Robots",
                factory=lambda config, _host: RobotAdapter(config),
                config=RobotConfig,
                accepts_path=lambda path: (path / "robot.toml").is_file(),
                accepts_object=lambda agent: type(agent).__name__ == "Robot",
            )
        ]


@pytest.fixture
def case_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A case whose answer says what the adapter was made with, in the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "who.test.json"


def with_plugins(*plugins: object) -> Extensions:
    """The built-ins, and these. What runs ADK's agents may be installed here, and is left out."""
    built_in = [candidate for candidate in discover() if candidate.name != "adk"]
    return Extensions(
        [
            *built_in,
            *(as_candidate(f"robots{number}", plugin) for number, plugin in enumerate(plugins)),
        ]
    )


def answered(case_file: Path, agent: object, answer: str, *plugins: object) -> None:
    """Evaluate an agent that answers so."""
    turn = {
        "user_content": {"parts": [{"text": "Who are you?"}]},
        "final_response": {"parts": [{"text": answer}]},
    }
    cases = [{"eval_id": "who", "conversation": [turn]}]
    case_file.write_text(json.dumps({"eval_set_id": "who", "eval_cases": cases}), encoding="utf-8")
    result = adjudge.evaluate_sync(agent, "who.test.json", config=CONFIG, extensions=with_plugins(*plugins))
    assert result.passed, [(case.error, case.criteria) for case in result.cases()]


@pytest.mark.parametrize("scheme", ["", "robot:"])
def test_a_folder_is_served_by_the_adapter_that_accepts_it(
    case_file: Path, tmp_path: Path, scheme: str
) -> None:
    (tmp_path / "marvin").mkdir()
    (tmp_path / "marvin" / "robot.toml").touch()

    answered(case_file, f"{scheme}marvin", f"I am {tmp_path / 'marvin'}", Robots())


def test_an_object_is_served_by_the_adapter_that_accepts_it(case_file: Path) -> None:
    answered(case_file, Robot(), "I am Robot", Robots())


def test_an_object_that_a_target_names_is_served_by_the_adapter_that_accepts_it(
    case_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "galaxy.py").write_text(ROBOT)

    answered(case_file, "galaxy:marvin", "I am galaxy:marvin", Robots())


def test_a_callable_stays_with_python_where_others_accept_objects(case_file: Path, tmp_path: Path) -> None:
    (tmp_path / "people.py").write_text("def arthur(text):\n    return 'I am Arthur'\n")

    answered(case_file, "people:arthur", "I am Arthur", Robots())


def test_a_scheme_decides_who_serves(case_file: Path, tmp_path: Path) -> None:
    (tmp_path / "galaxy.py").write_text(ROBOT)

    with pytest.raises(InputError, match="neither callable nor with"):
        answered(case_file, "python:galaxy:marvin", "", Robots())


@pytest.mark.parametrize("agent", [Robot(), "galaxy:marvin"])
def test_two_adapters_that_accept_one_object_are_both_named(
    case_file: Path, tmp_path: Path, agent: object
) -> None:
    (tmp_path / "galaxy.py").write_text(ROBOT)

    with pytest.raises(InputError, match=r"robots0/robot .* and robots1/android"):
        answered(case_file, agent, "", Robots(), Robots("android"))


# --- agents of ADK where nothing that runs them is installed ------------------------------


@pytest.mark.parametrize("target", ["my agents/home", "my agents/home/agent.py"])
def test_the_folder_of_an_adk_agent_is_answered_with_the_command_that_installs_what_runs_it(
    case_file: Path, tmp_path: Path, target: str
) -> None:
    folder = tmp_path / "my agents" / "home"
    folder.mkdir(parents=True)
    (folder / "agent.py").write_text("root_agent = None\n")

    with pytest.raises(InputError, match=INSTALL):
        answered(case_file, target, "")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("module", "kind", "member"),
    [
        ("google.adk.agents.llm_agent", "LlmAgent", "adjudge-adk"),
        ("agents.agent", "Agent", "adjudge-openai-agents"),
        ("langgraph.main", "Agent", "adjudge-langgraph"),
        ("pydantic_ai.main", "Agent", "adjudge-pydantic-ai"),
    ],
)
def test_an_object_of_a_framework_is_answered_with_the_command_that_installs_what_runs_it(
    case_file: Path, tmp_path: Path, named: bool, module: str, kind: str, member: str
) -> None:
    source = f"Kind = type({kind!r}, (), {{'__module__': {module!r}}})\nroot_agent = Kind()\n"
    (tmp_path / "home.py").write_text(source)
    made: dict[str, Any] = {}
    exec(source, made)  # noqa: S102 - the same agent, made by the program

    with pytest.raises(InputError, match=f"pip install ./contrib/{member}"):
        answered(case_file, "home:root_agent" if named else made["root_agent"], "")


@pytest.mark.parametrize(
    ("target", "member"),
    [
        ("a2a:http://localhost:9999", "adjudge-a2a"),
        ("command:node agent.mjs", "adjudge-command"),
        ("langgraph:shop:make_graph", "adjudge-langgraph"),
        ("openai_agents:shop:make_agent", "adjudge-openai-agents"),
        ("pydantic_ai:shop:make_agent", "adjudge-pydantic-ai"),
    ],
)
def test_the_scheme_of_a_framework_is_answered_with_the_command_that_installs_what_runs_it(
    case_file: Path, target: str, member: str
) -> None:
    with pytest.raises(InputError, match=f"pip install ./contrib/{member}"):
        answered(case_file, target, "")


def test_a_metric_written_with_adk_is_answered_with_the_command_that_installs_it(
    case_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "people.py").write_text("def arthur(text):\n    return 'I am Arthur'\n")
    (tmp_path / "metrics.py").write_text("from google.adk_that_is_not_there import EvaluationResult\n")
    metric = {"code_config": {"name": "metrics.mine"}}
    config = {"criteria": {"mine": 0.5}, "custom_metrics": {"mine": metric}}
    case_file.write_text(
        '{"eval_set_id": "x", "eval_cases": [{"eval_id": "y", "conversation": [{"user_content": {"parts": []}}]}]}'
    )

    with pytest.raises(InputError, match=INSTALL):
        adjudge.evaluate_sync("people:arthur", "who.test.json", config=config)


# --- eval sets by id ---------------------------------------------------------------------


def test_an_eval_set_may_be_named_by_its_id_in_the_folder_of_the_agent(
    case_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "marvin"
    folder.mkdir()
    (folder / "robot.toml").touch()
    answered(case_file, "marvin", f"I am {folder}", Robots())
    case_file.rename(folder / "greetings.evalset.json")
    extensions = with_plugins(Robots())

    for named in ("greetings", "greetings:who"):
        result = adjudge.evaluate_sync("marvin", named, config=CONFIG, extensions=extensions)
        assert [case.eval_set_file for case in result.cases()] == ["marvin/greetings.evalset.json"]
    with pytest.raises(
        InputError, match=r"there is no file farewells, and no eval set of that id.* It has: greetings"
    ):
        adjudge.evaluate_sync("marvin", "farewells", config=CONFIG, extensions=extensions)


def test_a_module_that_lacks_what_runs_its_agent_tells_what_to_install(
    case_file: Path, tmp_path: Path
) -> None:
    case_file.write_text('{"eval_set_id": "x", "eval_cases": []}', encoding="utf-8")
    (tmp_path / "shopkeeper").mkdir()
    (tmp_path / "shopkeeper" / "agent.py").write_text(
        "import googol.adk\nroot_agent = googol.adk.LlmAgent()\n"
    )

    with pytest.raises(InputError, match=INSTALL):
        adjudge.evaluate_sync("shopkeeper.agent:root_agent", "who.test.json")
