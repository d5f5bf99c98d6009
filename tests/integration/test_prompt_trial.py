"""``nox -s agreement -- --before COMMIT``: the prompts of two states on the same cases, and another criterion in the file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from adjudge.model import Citation, JudgeMessage
from adjudge.plugin import JudgeRequest
from adjudge.testing import fields_shown, verdicts

FOLDER = Path(__file__).parents[1] / "agreement"
ALONE = 2
"""The checks of the criterion that short runs are judged by."""
SAMPLE = """
import json, prompt_sample
print(json.dumps([[case.criterion, case.label] for case in prompt_sample.labelled_cases()]))
"""


def answer(request: Request) -> Response:
    """Finds everything good; of a short run only where no other criterion stands beside."""
    body: dict[str, Any] = json.loads(request.data)
    messages = tuple(JudgeMessage(role=item["role"], text=item["content"]) for item in body["messages"])
    schema = body["response_format"]["json_schema"]["schema"]
    asked = JudgeRequest(model=body["model"], messages=messages, schema_=schema)
    first = next(iter(schema["properties"].values()))
    menu: list[str] = first["properties"]["verdict"]["enum"]
    if "5" in menu:
        label = "5"
    elif "not_met" in menu:
        label = "met" if len(schema["properties"]) == ALONE else "not_met"
    else:
        label = menu[0]
    step, field, text = next(iter([*fields_shown(asked), (1, "action", "nothing")]))
    said = verdicts(asked, label, citations=[Citation(step=step, field=field, quote=text.split("\n")[0])])
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 900, "completion_tokens": 10, "total_tokens": 910}
    return Response(
        json.dumps(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "small-1",
                "choices": [choice],
                "usage": usage,
            }
        ),
        content_type="application/json",
    )


def script(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture
def asked(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=FOLDER, capture_output=True, check=False).returncode:
        pytest.skip("this is no clone: there are no commits to compare")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_handler(answer)
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    page = tmp_path / "page.md"
    trial = (
        FOLDER / "measure.py",
        "--judge",
        "openai/small",
        "--before",
        "HEAD",
        "--folder",
        tmp_path,
        "--output",
        page,
    )
    done = script(*trial)
    assert done.returncode == 0, done.stdout + done.stderr
    first = page.read_text(encoding="utf-8")
    httpserver.clear()
    again = script(*trial, "--minutes", 0)
    assert again.returncode == 0, again.stdout + again.stderr
    assert page.read_text(encoding="utf-8") == first, "nobody is asked, and the page is the same"
    return first


def cells(page: str, row: str) -> list[str]:
    found, *_ = re.findall(rf"^\| {re.escape(row)} \| (.*) \|$", page, re.MULTILINE)
    return str(found).split(" | ")


def test_each_criterion_has_its_figures_and_repetitions_are_told_from_another_criterion(asked: str) -> None:
    sample = json.loads(script("-c", SAMPLE).stdout)
    for criterion in {criterion for criterion, _ in sample}:
        labels = [label for of, label in sample if of == criterion]
        number, coverage, right, _, lost, *tokens = cells(asked, f"`{criterion}`")
        assert (number, coverage, lost) == (str(len(labels)), "1.00", "0"), criterion
        assert right == f"{labels.count('PASS')} of {len(labels)}", "it finds everything good"
        assert labels.count("PASS") == labels.count("FAIL")
        assert all(int(count) > 0 for count in tokens)
    assert cells(asked, "all")[0] == str(len(sample))

    _, alone, together, difference = cells(asked, "vote on a check")
    assert (alone, together, difference) == ("0.00", "1.00", "+1.00")
