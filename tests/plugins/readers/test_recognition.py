"""Which reader takes which file, and what a person is told whose file none of them takes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from adjudge import evaluate_sync
from adjudge.extension.candidates import OWN_DISTRIBUTION
from adjudge.extension.loader import Extensions, discover
from adjudge.kit.logs import open_log
from adjudge.plugin import InputError, Source
from adjudge.testing import FakeHost
from adjudge.testing.log_runs import judged_sync

REAL = {
    "adk_eval_files/**/*.test.json": {"eval_set"},
    "adk_eval_files/**/*.evalset.json": {"eval_set"},
    "adk_eval_files/**/*.session.json": {"adk_session"},
    "adk_eval_files/**/test_config.json": set[str](),
    "browser_use_history/*.json": {"browser_use"},
    "more_logs/adot_spans/*": {"openinference"},
    "more_logs/inspect/*": {"inspect"},
    "more_logs/langfuse/*": {"langfuse"},
    "more_logs/langsmith/anthropic*": {"anthropic_sessions"},
    "more_logs/langsmith/langsmith*": {"langsmith"},
    "more_logs/autogen/*": {"autogen_agentchat"},
    "more_logs/magentic_one/*": {"magentic_one"},
    "more_logs/mini_swe_agent/*": {"openai_messages"},
    "more_logs/openai_agents_runstate/*": {"openai_run_state"},
    "more_logs/openhands/*": {"openhands"},
    "more_logs/openhands_sdk/events.jsonl": {"openhands"},
    "more_logs/openhands_sdk/litellm*": {"openai_messages"},
    "more_logs/claude_code/*": {"claude_code"},
    "more_logs/codex/*": {"codex"},
    "otel_spans/*openinference*.json": {"openinference"},
    "otel_spans/*genai*.json": {"otel_genai"},
    "otel_spans/adk_*.json": {"otel_genai"},
    "otel_spans/pydantic_ai_*.json": {"otel_genai"},
    "swe_agent/*.traj": {"swe_agent"},
    "tau_airline/*.gz": {"openai_messages"},
    "web_agent_runs/*.gz": {"history_log"},
    "who_and_when/*.gz": {"autogen_chat"},
    "**/LICENSE": set[str](),
    "README.md": set[str](),
}

EVAL_SET = {
    "eval_set_id": "set",
    "eval_cases": [
        {
            "eval_id": "c",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Buy milk"}]},
                    "final_response": {"parts": [{"text": "Bought."}]},
                }
            ],
        }
    ],
}


def takers(path: Path) -> set[str]:
    with open_log(Source(path)) as file:
        head = file.read(64 * 1024)
    readers = Extensions(
        [candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION]
    ).trace_readers
    host = FakeHost(path.parent)
    return {
        found.spec.name
        for found in readers
        if found.spec.factory(found.spec.config(), host).sniff(head, path)
    }


@pytest.mark.parametrize("pattern", REAL)
def test_a_real_file_has_its_own_reader(shared_data: Path, pattern: str) -> None:
    files = sorted(shared_data.glob(pattern))
    assert files
    assert {path.name: takers(path) for path in files} == {path.name: REAL[pattern] for path in files}


def test_no_real_file_has_two(shared_data: Path) -> None:
    claimed = {path: takers(path) for path in shared_data.rglob("*") if path.is_file()}
    assert {path: names for path, names in claimed.items() if len(names) > 1} == {}


def told(folder: Path, log: str | bytes, name: str = "log.json") -> str:
    (folder / name).write_bytes(log.encode() if isinstance(log, str) else log)
    cases = folder / "set.evalset.json"
    cases.write_text(json.dumps(EVAL_SET))
    with pytest.raises(InputError) as caught:
        evaluate_sync(f"recorded:{folder / name}", [cases])
    return str(caught.value)


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ('{"foo": 1, "steps": [{"a": 1}]}', "an object with the keys foo, steps"),
        ('[{"foo": 1}]', "a list, and in it an object with the keys foo"),
        ("[1, 2]", "a list, and in it no object that has keys"),
        ("[]", "an empty list"),
        ("{}", "an empty object"),
        ("Dear diary,", "neither a JSON object nor a list"),
    ],
)
def test_a_file_that_no_reader_knows(tmp_path: Path, log: str, found: str) -> None:
    output = told(tmp_path, log)
    assert f"log.json: no trace reader knows this format; the file begins with {found}\n" in output
    assert "\n    atif: not found: an object whose schema_version is ATIF-v1\n" in output
    assert "\n    history_log: not found: a step with two of step, thinking, memory" in output


@pytest.mark.parametrize(
    ("log", "nearest"),
    [
        (
            '{"timestamp": "t", "type": "message", "text": "x"}',
            ". Nearest: codex, 'timestamp' and 'type' are there and 'payload' is not\n",
        ),
        (
            '{"tasks": [], "info": {}, "runs": []}',
            ". Nearest: tau2, 'info' and 'tasks' are there and 'simulations' is not\n",
        ),
        ('{"foo": 1}', "the keys foo\n"),
        ('{"memory": "a text with \\"thinking\\" in it"}', "the keys memory\n"),
    ],
)
def test_which_format_comes_nearest_and_what_is_missing(tmp_path: Path, log: str, nearest: str) -> None:
    assert nearest in told(tmp_path, log)


def test_every_format_of_ours_says_which_keys_it_has() -> None:
    own = [candidate for candidate in discover() if candidate.distribution == OWN_DISTRIBUTION]
    assert all(len(found.spec.keys) > 1 for found in Extensions(own).trace_readers)


def test_a_file_that_two_readers_know_is_nobodys_until_one_is_named(tmp_path: Path) -> None:
    both = [{"step": 1, "thinking": "t", "role": "assistant", "content": "Hello"}]
    output = told(tmp_path, json.dumps(both))

    assert "log.json: more than one trace reader knows this format: history_log (" in output
    assert "and openai_messages (" in output
    assert "--reader history_log" in output

    [log] = judged_sync(tmp_path / "log.json", aggregate_only=True, reader="history_log").logs
    assert log.reader.endswith("/history_log")


@pytest.mark.parametrize("log", ["", " \n\t", b"\xef\xbb\xbf"])
def test_an_empty_file(tmp_path: Path, log: str | bytes) -> None:
    assert told(tmp_path, log).endswith("log.json: the file is empty")


@pytest.mark.parametrize(
    ("log", "broken"),
    [
        ('{"foo": 1,\n "bar": NaN}', "it breaks off in line 2, column 9: NaN. JSON has finite numbers only."),
        ('[{"steep": ' + "9" * 5000 + ', "action": "a()"}]', "it breaks off in line 1, column 12: "),
        (
            "[" * 5000,
            "it breaks off in line 1, column 101: more than 100 lists and objects inside one another.",
        ),
        ('[{"thinking": "é"}]'.encode("latin-1"), "not UTF-8 text"),
        ('[{"step": 1, "action": "a()"}]'.encode("utf-16"), "it is UTF-16"),
        (b"\0\0\0", "it is binary data"),
    ],
)
def test_a_file_that_no_reader_knows_because_it_is_broken(
    tmp_path: Path, log: str | bytes, broken: str
) -> None:
    assert broken in told(tmp_path, log)


STEP = b'[{"step": 1, "thinking": "t", "action": "a()"}]'


@pytest.mark.parametrize(
    ("name", "log"),
    [("log.json", gzip.compress(STEP, mtime=0)), ("log.json.gz", STEP)],
    ids=["packed", "plain"],
)
def test_the_content_says_whether_a_log_is_packed_and_not_its_name(
    tmp_path: Path, name: str, log: bytes
) -> None:
    (tmp_path / name).write_bytes(log)

    assert takers(tmp_path / name) == {"history_log"}
    with open_log(Source(tmp_path / name)) as file:
        assert file.read() == STEP


def test_a_gzip_file_that_is_broken(tmp_path: Path) -> None:
    broken = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\xff" * 20
    assert "log.json.gz: cannot be read" in told(tmp_path, broken, "log.json.gz")
