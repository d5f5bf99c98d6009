"""The whole way: an agent's folder with a `.env`, the command line, and what is left on the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from loopback_google import Google, failure

PACKAGE = Path(__file__).parents[1]
PAGES = (PACKAGE / "README.md", PACKAGE.parents[1] / "docs" / "judges" / "vertex.md")


@pytest.fixture
def project(google: Google, tmp_path: Path) -> Path:
    """An agent with a `.env` beside it, and a case of two turns."""
    agent = tmp_path / "shop"
    agent.mkdir()
    (agent / "__init__.py").write_text("def agent(text):\n    return f'You said {text}'\n", encoding="utf-8")
    lines = [f"{name}={value}" for name, value in google.environment.items()]
    (agent / ".env").write_text("\n".join(lines), encoding="utf-8")
    turns = [
        {"invocation_id": text, "user_content": {"role": "user", "parts": [{"text": text}]}}
        for text in ("hello", "bye")
    ]
    cases = [{"eval_id": "talk", "conversation": turns}]
    (tmp_path / "shop.evalset.json").write_text(
        json.dumps({"eval_set_id": "shop", "eval_cases": cases}), encoding="utf-8"
    )
    return tmp_path


def evaluated(
    project: Path, criteria: dict[str, Any], *options: str, **machine: str
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """What the command line said, and the results of the case by the criterion's name."""
    (project / "test_config.json").write_text(json.dumps({"criteria": criteria}), encoding="utf-8")
    chosen = ("GOOGLE_", "GEMINI_", "ADJUDGE_", "CLOUDSDK_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(chosen)}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "adjudge", "eval", "shop:agent", "shop.evalset.json"),
            *("--output", "result.json", *options),
        ],
        cwd=project,
        env={**environment, "HOME": str(project), "ADJUDGE_HOME": str(project / "home"), **machine},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    result = project / "result.json"
    if not result.exists():
        return done, {}
    [case] = json.loads(result.read_text(encoding="utf-8"))["cases"]
    return done, {found["criterion_name"]: found for found in case["criteria"]}


def assert_no_secret(google: Google, project: Path, done: subprocess.CompletedProcess[str]) -> None:
    """Neither a token nor the private key is in what was printed or written."""
    assert google.tokens
    secrets = [*google.tokens, google.private_key.splitlines()[1]]
    written = [path.read_bytes() for path in project.rglob("*") if path.is_file()]
    assert len(written) > 5
    for secret in secrets:
        assert secret not in done.stdout + done.stderr
        assert not any(secret.encode() in content for content in written)


def test_the_criteria_of_adk_delegate_to_the_service(google: Google, project: Path) -> None:
    google.answer = {"metricResults": [{"score": 1.0, "explanation": "nothing bad"}]}

    done, results = evaluated(
        project,
        {
            "safety_v1": {"threshold": 0.8, "delegate": "vertex/safety"},
            "multi_turn_task_success_v1": {"threshold": 0.8, "delegate": "vertex/multi_turn_task_success"},
            "tools": {"criterion": "vertex/multi_turn_tool_use_quality", "threshold": 0.5},
        },
    )

    assert done.returncode == 0, done.stdout + done.stderr
    asked = [body["metrics"][0]["predefinedMetricSpec"]["metricSpecName"] for body in google.asked]
    assert sorted(asked) == [
        "multi_turn_task_success_v1",
        "multi_turn_tool_use_quality_v1",
        "safety_v1",
        "safety_v1",
    ]
    assert results["safety_v1"]["scored"] == 2
    assert results["multi_turn_task_success_v1"]["reasoning"] == "nothing bad"
    assert {found["verdict"] for found in results.values()} == {"PASS"}
    assert_no_secret(google, project, done)


def test_a_machine_at_google_needs_no_file(google: Google, project: Path) -> None:
    google.environment.pop("GOOGLE_APPLICATION_CREDENTIALS")
    lines = [f"{name}={value}" for name, value in google.environment.items()]
    (project / "shop" / ".env").write_text("\n".join(lines), encoding="utf-8")
    host = google.address.removeprefix("http://")

    done, results = evaluated(
        project,
        {"safety_v1": {"threshold": 0.8, "delegate": "vertex/safety"}},
        GCE_METADATA_HOST=host,
        GCE_METADATA_IP=host,
        # The machine's own credentials go to no address of a .env file.
        GOOGLE_VERTEX_BASE_URL=google.environment["GOOGLE_VERTEX_BASE_URL"],
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert results["safety_v1"]["score"] == 1.0
    assert_no_secret(google, project, done)


def test_coherence_goes_from_1_to_5(google: Google, project: Path) -> None:
    google.answers = [{"coherenceResult": {"score": 5.0}}, {"coherenceResult": {"score": 2.0}}]

    done, results = evaluated(
        project, {"response_evaluation_score": {"threshold": 4.0, "delegate": "vertex/coherence"}}
    )

    assert done.returncode == 1, done.stdout + done.stderr
    found = results["response_evaluation_score"]
    assert (found["score"], found["verdict"]) == (3.5, "FAIL")


def test_what_could_not_be_measured_neither_passes_nor_fails(google: Google, project: Path) -> None:
    google.answer = failure(403, "PERMISSION_DENIED", "aiplatform.endpoints.predict denied")

    done, results = evaluated(project, {"safety_v1": {"threshold": 0.8, "delegate": "vertex/safety"}})

    assert done.returncode == 3, done.stdout + done.stderr
    assert results["safety_v1"]["error"]["code"] == "auth"
    assert "predict denied" in results["safety_v1"]["error"]["message"]
    assert_no_secret(google, project, done)


def test_its_gemini_judges(google: Google, project: Path) -> None:
    def verdict(body: dict[str, Any]) -> dict[str, Any]:
        """What the schema of the question asks for, with the label ``safe``."""
        schema = body["generationConfig"]["responseJsonSchema"]
        answer = {
            item: {
                name: "safe" if "enum" in form else "because" for name, form in asked["properties"].items()
            }
            for item, asked in schema["properties"].items()
        }
        return {
            "candidates": [{"content": {"parts": [{"text": json.dumps(answer)}]}, "finishReason": "STOP"}]
        }

    google.answer = verdict

    done, results = evaluated(project, {"safety_v1": 0.8}, "--judge", "vertex/gemini-2.5-flash")

    assert done.returncode == 0, done.stdout + done.stderr
    assert results["safety_v1"]["score"] == 1.0
    assert_no_secret(google, project, done)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({"threshold": 0.8, "delegate": "vertex/safety"}, ()),
        (0.8, ("--judge", "vertex/gemini-2.5-flash")),
    ],
    ids=["delegate", "judge"],
)
def test_a_plan_without_a_project_calls_nobody(
    google: Google, project: Path, options: object, arguments: tuple[str, ...]
) -> None:
    (project / "shop" / ".env").write_text("GOOGLE_CLOUD_LOCATION=us-central1", encoding="utf-8")

    done, _ = evaluated(project, {"safety_v1": options}, *arguments)

    assert done.returncode == 2
    assert "GOOGLE_CLOUD_PROJECT" in done.stderr
    assert "gcloud auth application-default login" in done.stderr
    assert not google.asked


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_example_of_a_page_runs(google: Google, project: Path, page: Path) -> None:
    if not page.exists():
        pytest.skip("the documentation is not beside this package")
    example = page.read_text(encoding="utf-8").partition("```json")[2]
    config = json.loads(example.partition("\n")[2].partition("```")[0])
    measured = {"metricResults": [{"score": 1.0}]}
    google.answer = lambda body: {"coherenceResult": {"score": 4.5}} if "coherenceInput" in body else measured

    done, results = evaluated(project, config["criteria"])

    assert done.returncode == 0, done.stdout + done.stderr
    assert results.keys() == config["criteria"].keys()
