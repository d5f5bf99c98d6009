"""Loading and saving loses nothing: generated ADK files, and google-adk itself as the judge of what is equal."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.kit.adk import dump_eval_set, load_eval_set

# Everything is drawn as a pair: as a file may write it (either spelling, nulls), and as adjudge saves it.
Pair = tuple[Any, Any]

# ADK refuses null for these; adjudge takes it as absent.
NOT_NULL = {
    *("invocation_id", "creation_timestamp", "state", "instructions", "tool_declarations", "agent_details"),
    *("tool_uses", "tool_responses", "intermediate_responses"),
}

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
FREE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
FREE_OBJECT = st.dictionaries(TEXT, FREE, max_size=3)
EXTRAS = st.dictionaries(st.sampled_from(["x-note", "invocationIndex", "zz"]), FREE, max_size=2)


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def same(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Pair]:
    return strategy.map(lambda value: (value, value))


def many(strategy: st.SearchStrategy[Pair], max_size: int = 3) -> st.SearchStrategy[Pair]:
    return st.lists(strategy, max_size=max_size).map(
        lambda pairs: ([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    )


@st.composite
def objects(
    draw: st.DrawFn,
    required: Mapping[str, st.SearchStrategy[Pair]],
    optional: Mapping[str, st.SearchStrategy[Pair]],
    extras: bool = False,
    camels: bool = True,
) -> Pair:
    written: dict[str, Any] = {}
    saved: dict[str, Any] = {}
    for name, strategy in {**required, **optional}.items():
        choices = ["given", "absent", "absent" if name in NOT_NULL else "null"]
        presence = "given" if name in required else draw(st.sampled_from(choices))
        if presence == "absent":
            continue
        key = draw(st.sampled_from([name, camel(name)])) if camels else name
        if presence == "null":
            written[key] = None
        else:
            written[key], saved[name] = draw(strategy)
    further = draw(EXTRAS) if extras else {}
    return {**written, **further}, {**saved, **further}


BYTES = st.binary(max_size=6).map(lambda data: base64.b64encode(data).decode())
SECONDS = same(st.floats(0, 1e9))
COUNT = same(st.integers(0, 10**9))
CALL = objects(
    {"name": same(NAME)},
    {
        "id": same(st.sampled_from(["a", "b", "c"])),
        "args": same(FREE_OBJECT),
        "will_continue": same(st.booleans()),
    },
)
RESULT = objects(
    {"name": same(NAME)},
    {"id": same(st.sampled_from(["a", "b", "c"])), "response": same(FREE_OBJECT)},
)
MODIFIERS = {
    "thought": same(st.booleans()),
    "thought_signature": same(BYTES),
    "part_metadata": same(FREE_OBJECT),
}
PART = st.one_of(
    objects({"text": same(TEXT)}, MODIFIERS),
    objects({"function_call": CALL}, MODIFIERS),
    objects({"function_response": RESULT}, MODIFIERS),
    objects(
        {
            "inline_data": objects(
                {"data": same(BYTES), "mime_type": same(TEXT)}, {"display_name": same(TEXT)}
            )
        },
        MODIFIERS,
    ),
    objects({"file_data": objects({"file_uri": same(TEXT)}, {"mime_type": same(TEXT)})}, MODIFIERS),
    objects({"executable_code": same(st.just({"code": "1", "language": "PYTHON"}))}, MODIFIERS),
    objects({"code_execution_result": same(st.just({"outcome": "OUTCOME_OK", "output": ""}))}, {}),
    objects({}, MODIFIERS),
)
CONTENT = objects({}, {"role": same(TEXT), "parts": many(PART)})
USAGE = objects(
    {},
    {
        "prompt_token_count": COUNT,
        "candidates_token_count": COUNT,
        "total_token_count": COUNT,
        "cached_content_token_count": COUNT,
        "thoughts_token_count": COUNT,
        "tool_use_prompt_token_count": COUNT,
        "prompt_tokens_details": same(st.just([{"modality": "TEXT", "token_count": 3}])),
    },
)
EVENT = objects(
    {"author": same(TEXT)},
    {
        "content": CONTENT,
        "usage_metadata": USAGE,
        "model_version": same(TEXT),
        "grounding_metadata": same(st.just({"web_search_queries": ["q"]})),
    },
    extras=True,
)
RESPONSE = st.tuples(TEXT, many(PART)).map(lambda pair: ([pair[0], pair[1][0]], [pair[0], pair[1][1]]))
INTERMEDIATE = objects(
    {},
    {"tool_uses": many(CALL, 4), "tool_responses": many(RESULT, 4), "intermediate_responses": many(RESPONSE)},
)
EVENTS = objects({"invocation_events": many(EVENT)}, {})
RUBRIC = objects(
    {"rubric_id": same(TEXT), "rubric_content": objects({}, {"text_property": same(TEXT)})},
    {"description": same(TEXT), "type": same(TEXT)},
)
AGENT = objects(
    {"name": same(TEXT)}, {"instructions": same(TEXT), "tool_declarations": same(st.lists(FREE, max_size=2))}
)
APP = objects({}, {"agent_details": AGENT.map(lambda pair: ({"root": pair[0]}, {"root": pair[1]}))})
INVOCATION = objects(
    {"user_content": CONTENT},
    {
        "invocation_id": same(TEXT),
        "final_response": CONTENT,
        "intermediate_data": INTERMEDIATE | EVENTS,
        "creation_timestamp": SECONDS,
        "duration": SECONDS,
        "model_duration": SECONDS,
        "tool_duration": SECONDS,
        "rubrics": many(RUBRIC, 2),
        "app_details": APP,
    },
)
SCENARIO = objects(
    {"starting_prompt": same(TEXT), "conversation_plan": same(TEXT)},
    {"user_persona": same(st.sampled_from(["NOVICE", "EXPERT"]))},
)
SESSION = objects(
    {"app_name": same(TEXT), "user_id": same(TEXT)},
    {"session_id": same(TEXT), "state": same(FREE_OBJECT)},
    extras=True,
)
CASE_EXTRAS = {
    "session_input": SESSION,
    "creation_timestamp": SECONDS,
    "rubrics": many(RUBRIC, 2),
    "final_session_state": same(FREE_OBJECT),
}


@st.composite
def eval_sets(draw: st.DrawFn, camels: bool = True) -> Pair:
    ids = draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    cases: list[Pair] = []
    for name in ids:
        kinds = [{"conversation": many(INVOCATION)}, {"conversation_scenario": SCENARIO}]
        kind = draw(st.sampled_from(kinds))
        cases.append(draw(objects({"eval_id": same(st.just(name)), **kind}, CASE_EXTRAS, extras=True)))
    head = objects(
        {
            "eval_set_id": same(TEXT),
            "eval_cases": st.just(([written for written, _ in cases], [saved for _, saved in cases])),
        },
        {"name": same(TEXT), "description": same(TEXT), "creation_timestamp": SECONDS},
        extras=True,
        camels=camels,
    )
    return draw(head)


def reloaded(folder: Path, written: Any) -> Any:
    path = folder / "generated.evalset.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    return json.loads(dump_eval_set(load_eval_set(path)))


def text_of(value: Any) -> str:
    """Unlike ``==`` this tells 1 from True and from 1.0."""
    return json.dumps(value, sort_keys=True, indent=1)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(pair=eval_sets())
def test_a_file_survives_loading_and_saving(tmp_path_factory: pytest.TempPathFactory, pair: Pair) -> None:
    written, saved = pair
    folder = tmp_path_factory.getbasetemp()
    assert text_of(reloaded(folder, written)) == text_of(saved)
    assert text_of(reloaded(folder, saved)) == text_of(saved)


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(child) for key, child in value.items() if child is not None}
    return [without_nulls(child) for child in value] if isinstance(value, list) else value


def test_the_real_files_of_the_new_schema_survive(shared_data: Path) -> None:
    files = [
        path
        for path in sorted((shared_data / "adk_eval_files").rglob("*.test.json"))
        if isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
    ]
    assert len(files) >= 5
    for path in files:
        before = without_nulls(json.loads(path.read_text(encoding="utf-8")))
        assert json.loads(dump_eval_set(load_eval_set(path))) == before, path


JUDGE = """
import json, sys, warnings
warnings.simplefilter("ignore")
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.local_eval_sets_manager import convert_eval_set_to_pydantic_schema
for line in open(sys.argv[1], encoding="utf-8"):
    pair = json.loads(line)
    if "old" in pair:
        theirs = convert_eval_set_to_pydantic_schema("x", pair["old"])
    else:
        theirs = EvalSet.model_validate(pair["original"])
    ours = EvalSet.model_validate(pair["saved"])
    if "old" in pair:
        for one in (theirs, ours):
            one.eval_set_id, one.name, one.creation_timestamp = "x", "x", 0
            for case in one.eval_cases:
                case.creation_timestamp = 0
                for turn in case.conversation:
                    turn.invocation_id, turn.creation_timestamp = "", 0
        for case in ours.eval_cases:
            case.__pydantic_extra__ = {}
    for one in (theirs, ours):
        for case in one.eval_cases:
            case.final_session_state = case.final_session_state or {}  # null is saved as absent, which is {}
    if theirs != ours:
        print("DIFFERENT", json.dumps(pair), theirs, ours)
print("judged")
"""


def test_google_adk_reads_what_is_saved_as_what_it_was(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    python = os.environ.get("ADJUDGE_ADK_PYTHON")
    if not python:
        pytest.skip("ADJUDGE_ADK_PYTHON does not name a Python that has google-adk")
    pairs: list[dict[str, Any]] = []

    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(pair=eval_sets(camels=False))
    def collect(pair: Pair) -> None:
        pairs.append({"original": pair[0], "saved": reloaded(tmp_path, pair[0])})

    collect()
    real: Path = request.getfixturevalue("shared_data")
    for path in [*real.rglob("*.test.json"), *real.rglob("*.evalset.json")]:
        original = json.loads(path.read_text(encoding="utf-8"))
        saved = json.loads(dump_eval_set(load_eval_set(path)))
        if isinstance(original, dict):
            pairs.append({"original": original, "saved": saved})
        else:
            old = original if "data" in original[0] else [{"name": saved["eval_set_id"], "data": original}]
            pairs.append({"old": old, "saved": saved})
    batch = tmp_path / "pairs.jsonl"
    batch.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    result = subprocess.run(
        [python, "-c", JUDGE, str(batch)], capture_output=True, text=True, timeout=300, check=False
    )
    assert result.stdout == "judged\n", result.stdout[:3000] + result.stderr[-3000:]
