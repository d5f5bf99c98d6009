"""What a failure tells: where an agent raised, what differs, which criteria, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree

import pytest

Command = Callable[..., CompletedProcess[str]]

QUERY = "SELECT customer, total FROM orders JOIN customers USING (customer_id) WHERE region = 'north' AND total > {} "
QUERY += "AND created_at BETWEEN '2025-01-01' AND '2025-12-31' GROUP BY customer ORDER BY total {}"


def turn(asked: str, answer: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "user_content": {"parts": [{"text": asked}]},
        "final_response": {"parts": [{"text": answer}]},
        "intermediate_data": {"tool_uses": [{"name": name, "args": args} for name, args in calls]},
    }


@pytest.fixture
def evaluated(tmp_path: Path, adjudge_here: Command) -> Callable[..., CompletedProcess[str]]:
    """Evaluate an agent, given as Python source, on one turn that is expected."""

    def run(source: str, expected: dict[str, Any], criteria: dict[str, Any], *options: str) -> Any:
        (tmp_path / "bot.py").write_text(source, encoding="utf-8")
        eval_set = {"eval_set_id": "set", "eval_cases": [{"eval_id": "one", "conversation": [expected]}]}
        (tmp_path / "set.test.json").write_text(json.dumps(eval_set), encoding="utf-8")
        (tmp_path / "test_config.json").write_text(json.dumps({"criteria": criteria}), encoding="utf-8")
        return adjudge_here("eval", "bot:agent", "set.test.json", *options)

    return run


def answering(answer: str, *calls: tuple[str, dict[str, Any]]) -> str:
    return f"def agent(text):\n    return {turn('', answer, *calls)!r} | {{'user_content': {{'parts': [{{'text': text}}]}}}}\n"


def test_long_arguments_that_differ_late_are_shown_around_every_difference(
    evaluated: Command, tmp_path: Path
) -> None:
    done = evaluated(
        answering("Done.", ("run_sql", {"query": QUERY.format(1000, "DESC")})),
        turn("Report.", "Done.", ("run_sql", {"query": QUERY.format(900, "ASC")})),
        {"tool_trajectory_avg_score": 1.0},
        "--output",
        "junit.xml",
    )
    shown = " ".join(done.stdout.split())
    [failure] = ElementTree.parse(tmp_path / "junit.xml").iter("failure")  # noqa: S314 - ours
    in_junit = " ".join(str(failure.text).split())

    for text in (shown, in_junit):
        assert "total > [-900-]" in text
        assert "total > {+1000+}" in text
        assert "[-ASC-]" in text
        assert "{+DESC+}" in text


def test_long_answers_are_shown_around_every_difference(evaluated: Command) -> None:
    def answer(first: str, last: str) -> str:
        return " ".join(["word"] * 100 + [first] + ["more"] * 200 + [last] + ["end"] * 50)

    done = evaluated(
        answering(answer("two", "nine")),
        turn("Say it.", answer("one", "ten")),
        {"response_match_score": 1.0},
    )
    text = " ".join(done.stdout.split())

    assert "[-one-]" in text
    assert "{+two+}" in text
    assert "[-ten-]" in text
    assert "{+nine+}" in text
    assert "word word … " not in text
    assert len(text) < 2000


@pytest.mark.parametrize("alike", ["x" * 500, "/very/long/path" * 40])
def test_long_words_are_shown_around_their_difference(evaluated: Command, alike: str) -> None:
    done = evaluated(
        answering("Done.", ("put", {"blob": alike + "AAA"})),
        turn("Put it.", "Done.", ("put", {"blob": alike + "BBB"})),
        {"tool_trajectory_avg_score": 1.0},
    )

    assert "BBB" in done.stdout
    assert done.stdout.count("AAA") >= 1


def test_an_agent_without_an_answer_is_told_so_before_anything_else(evaluated: Command) -> None:
    done = evaluated(answering(" "), turn("Report.", "Done."), {"response_match_score": 0.8})

    assert done.returncode == 1
    told, _, rest = done.stdout.partition("expected  Done.")
    assert "the agent gave no answer" in told
    assert rest.split()[:3] == ["actual", "no", "answer"]
    assert "ROUGE" not in done.stdout
    assert "precision" not in done.stdout


def test_white_space_alone_is_seen(evaluated: Command) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve thirteen "
    done = evaluated(
        answering("Done.", ("put", {"text": text + "a  b"})),
        turn("Put it.", "Done.", ("put", {"text": text + "a b"})),
        {"tool_trajectory_avg_score": 1.0},
    )

    assert "␣" in done.stdout


def test_differences_of_a_long_state_are_shown(tmp_path: Path, adjudge_here: Command) -> None:
    note = "the same words again and again " * 20
    source = f"def agent(text, session):\n    session.state['note'] = {note + 'at the end: no'!r}\n    return 'Done.'\n"
    (tmp_path / "bot.py").write_text(source)
    case = {
        "eval_id": "one",
        "conversation": [turn("Note it.", "Done.")],
        "final_session_state": {"note": f"{note}at the end: yes"},
    }
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "set", "eval_cases": [case]}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"session_state_match": 1.0}}))
    done = adjudge_here("eval", "bot:agent", "set.test.json")

    assert done.returncode == 1
    assert "[-yes-]" in done.stdout
    assert "{+no+}" in done.stdout


def test_an_agent_that_raises_shows_its_own_file_and_line(evaluated: Command, tmp_path: Path) -> None:
    source = (
        "def agent(text):\n    return look_up(text)\n\n\n"
        "def look_up(text):\n    try:\n        return {}[text]\n    except KeyError as error:\n"
        "        raise LookupError('no such order') from error\n"
    )
    done = evaluated(source, turn("A1", "Found."), {"response_match_score": 0.5}, "--output", "result.json")

    assert done.returncode == 3
    assert "LookupError: no such order" in done.stdout
    assert "at bot.py:9, in look_up" in done.stdout
    [case] = json.loads((tmp_path / "result.json").read_text())["cases"]
    told = case["error"]["traceback"]
    assert case["error"]["place"] == "bot.py:9, in look_up"
    assert "KeyError: 'A1'" in told
    assert "return look_up(text)" in told
    assert told.rstrip().endswith("LookupError: no such order")
    assert "adjudge_plugins" not in told
    assert "asyncio" not in told


@pytest.mark.parametrize(
    "source",
    [
        "import sys\n\n\ndef agent(text):\n    sys.exit('bye')\n",
        "import sys\n\n\nasync def agent(text):\n    sys.exit('bye')\n",
        "import json\n\n\nasync def agent(text):\n    json.loads('{')\n",
    ],
    ids=["exit", "exit in a coroutine", "in a library"],
)
def test_the_line_is_the_agents_also_where_it_ends_the_process_or_a_library_raises(
    evaluated: Command, source: str
) -> None:
    done = evaluated(source, turn("A1", "Found."), {"response_match_score": 0.5})

    assert done.returncode == 3
    assert "at bot.py:5, in agent" in done.stdout


@pytest.mark.parametrize("match_type", ["IN_ORDER", "ANY_ORDER"])
def test_calls_that_are_permitted_are_no_fault(evaluated: Command, match_type: str) -> None:
    done = evaluated(
        answering("Done.", ("look", {}), ("find", {"id": 2}), ("look", {})),
        turn("Find it.", "Done.", ("find", {"id": 1})),
        {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": match_type}},
    )

    assert done.returncode == 1
    assert "different arguments: find." in done.stdout
    assert "unexpected" not in done.stdout
    assert "not expected" not in done.stdout
    assert "· look()" in done.stdout


def test_junit_names_every_criterion_that_failed(evaluated: Command, tmp_path: Path) -> None:
    evaluated(
        answering("Nothing.", ("find", {"id": 2})),
        turn("Find it.", "Here it is.", ("find", {"id": 1})),
        {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8},
        "--output",
        "junit.xml",
    )
    [failure] = ElementTree.parse(tmp_path / "junit.xml").iter("failure")  # noqa: S314 - ours

    assert failure.get("message") == (
        "tool_trajectory_avg_score 0.00, below the threshold 1.00; "
        "response_match_score 0.00, below the threshold 0.80"
    )


def test_piped_output_honours_columns_and_keeps_commands_on_one_line(
    evaluated: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    done = evaluated(
        answering("some words " * 30),
        turn("Say it.", "other things " * 30),
        {"response_match_score": 0.8},
        "--run",
        "a-name-that-is-rather-long",
    )
    lines = done.stdout.splitlines()
    commands = [line.strip() for line in lines if "adjudge " in line]

    assert commands == ["adjudge runs show a-name-that-is-rather-long --print_detailed_results"]
    assert max(len(line) for line in lines if "adjudge " not in line) <= 50


def test_a_run_without_a_terminal_says_now_and_then_how_far_it_is(
    evaluated: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = evaluated(answering("Hello."), turn("Hi.", "Hello."), {"response_match_score": 0.8})
    monkeypatch.setenv("ADJUDGE_PROGRESS", "0")
    told = evaluated(
        answering("Hello."), turn("Hi.", "Hello."), {"response_match_score": 0.8}, "--num_runs", "3"
    )

    monkeypatch.setenv("ADJUDGE_PROGRESS", "often")
    wrong = evaluated(answering("Hello."), turn("Hi.", "Hello."), {"response_match_score": 0.8})

    assert quiet.stderr == ""
    assert "3 of 3 done: 3 passed" in told.stderr
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "error: ADJUDGE_PROGRESS must be a number of seconds, found 'often'\n"
        "  For instance ADJUDGE_PROGRESS=60, or ADJUDGE_PROGRESS=inf for no lines.\n",
    )


def test_a_recording_without_the_case_lists_those_that_it_has(tmp_path: Path, adjudge_here: Command) -> None:
    def eval_set(*ids: str) -> str:
        cases = [{"eval_id": name, "conversation": [turn("Hi.", "Hello.")]} for name in ids]
        return json.dumps({"eval_set_id": "set", "eval_cases": cases})

    (tmp_path / "old.evalset.json").write_text(eval_set("monday", "tuesday"))
    (tmp_path / "new.evalset.json").write_text(eval_set("holiday", "monday"))
    done = adjudge_here("eval", "recorded:old.evalset.json", "new.evalset.json")

    assert done.returncode == 2
    assert "no recording of case 'holiday'" in done.stderr
    assert "has recordings of 'monday', 'tuesday'" in done.stderr


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("localhost:8000", "Write the whole address: http://localhost:8000"),
        ("127.0.0.1:8000/v1", "Write the whole address: http://127.0.0.1:8000/v1"),
        ("ag.py", "Name the agent of the module: ag:chat or ag:Desk or ag:made"),
        ("ag", "Name the agent of the module: ag:chat or ag:Desk or ag:made"),
        ("ag.py:chat", "Name the agent of the module: ag:chat"),
        ("folder/agent.py", "Name the agent of the module: folder.agent:agent"),
        ("ag.chat", "Name the agent of the module: ag:chat"),
        ("folder.agent.agent", "Name the agent of the module: folder.agent:agent"),
        ("nothing", "'adjudge agents' says what they are"),
        ("foldr", "there is no folder foldr. Did you mean 'folder'?"),
        ("folder/shops/", "there is no folder folder/shops/. Did you mean 'folder/shop'?"),
        ("folder/agnt.py", "there is no file folder/agnt.py. Did you mean 'folder/agent.py'?"),
        ("nowhere/shop", "there is no folder nowhere/shop.\n"),
        ("no.module", "no installed agent adapter accepts 'no.module'"),
        (
            "record-ed:runs.json",
            "no installed agent adapter accepts 'record-ed:runs.json'. Did you mean 'recorded'?",
        ),
        ("far-away:runs.json", "no installed agent adapter accepts 'far-away:runs.json'\n"),
    ],
)
def test_a_target_that_is_nearly_right_gets_the_one_to_write(
    tmp_path: Path, adjudge_here: Command, target: str, hint: str
) -> None:
    source = (
        "def chat(text):\n    return text\n\n\nclass Desk:\n    pass\n\n\nmade = Desk()\n_hidden = Desk()\n"
    )
    (tmp_path / "ag.py").write_text(source)
    (tmp_path / "folder" / "shop").mkdir(parents=True)
    (tmp_path / "folder" / "agent.py").write_text(
        "def helper():\n    pass\n\n\ndef agent(text):\n    return text\n"
    )
    eval_set = {
        "eval_set_id": "set",
        "eval_cases": [{"eval_id": "one", "conversation": [turn("Hi.", "Hi.")]}],
    }
    (tmp_path / "set.test.json").write_text(json.dumps(eval_set))
    done = adjudge_here("eval", target, "set.test.json")

    assert done.returncode == 2
    assert hint in done.stderr


@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        (
            {"tool_trajectory_avgscore": 1.0},
            "unknown criterion 'tool_trajectory_avgscore'. Did you mean 'tool_trajectory_avg_score'?\n",
        ),
        ({"session_state_match": {"mode": "exakt"}}, "found 'exakt'. Did you mean 'exact'?\n"),
        (
            {"session_state_match": {"ignore": "at"}},
            "$.criteria.session_state_match.ignore: expected a list, found 'at'\n",
        ),
        ({"session_state_match": {"tolerance": {"x": 1}}}, ".tolerance.x: expected an object, found 1\n"),
    ],
)
def test_a_mistake_in_a_configuration_is_told_in_the_words_of_its_format(
    tmp_path: Path, adjudge_here: Command, criterion: dict[str, object], told: str
) -> None:
    (tmp_path / "echo.py").write_text("def agent(text):\n    return text\n")
    case = {"eval_id": "one", "conversation": [turn("Hi.", "Hi.")], "final_session_state": {"at": 1}}
    (tmp_path / "set.test.json").write_text(json.dumps({"eval_set_id": "set", "eval_cases": [case]}))
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": criterion}))

    done = adjudge_here("eval", "echo:agent", "set.test.json")

    assert done.returncode == 2
    assert done.stderr.endswith(told)


def test_a_wrong_granularity_is_the_only_problem_of_an_aggregation(
    tmp_path: Path, adjudge_here: Command
) -> None:
    (tmp_path / "log.json").write_text(json.dumps([{"step": 1, "thinking": "Look.", "action": "look()"}]))

    done = adjudge_here("judge", "log.json", "--aggregate-only", "--granularity", "phase")

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "error: unknown granularity strategy 'phase'. Did you mean 'phase_level'? "
        "Installed: global_summary, phase_level, step_level."
    ]
