"""The page: one file with everything in it, and nothing that could be taken for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from adjudge.plugin import RunReport
from adjudge.testing import ReporterConformance, fake_distribution
from adjudge_plugins.reporters import html_reporter
from adjudge_plugins.reporters.html_reporter.reporter import HtmlReporter

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \u2028 javascript:alert(1) \x1b[31m \u202e"

JUDGE = """
from adjudge.plugin import JudgeBackendSpec, JudgeReply, hookimpl
from adjudge.testing import verdicts

class Judge:
    async def complete(self, request):
        return JudgeReply(text=verdicts(request, lambda item: "yes", notes={"rationale": "So it is."}))

@hookimpl.judge_backends
def judge_backends():
    return [JudgeBackendSpec(name="rude", summary="It likes all.", factory=lambda config, host: Judge(), prices="")]
"""


class TestConformance(ReporterConformance):
    plugin = html_reporter
    component = "html"


class Page(HTMLParser):
    """The elements of a page, with the texts of its scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._inside: dict[int, str] = {}
        self._open = False
        self.feed(html)
        self.close()
        self.texts = [(*self.tags[number], text) for number, text in self._inside.items()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = True

    def handle_data(self, data: str) -> None:
        if self._open:
            number = len(self.tags) - 1
            self._inside[number] = self._inside.get(number, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def part(self, name: str) -> Any:
        [data] = [
            text for tag, attrs, text in self.texts if tag == "script" and attrs.get("data-part") == name
        ]
        return json.loads(zlib.decompress(base64.b64decode(data)))

    def case(self, key: str) -> Any:
        name, place = key.split(".")
        return self.part(name)[int(place)]


def mixed(run_of: Any, a_turn: Any, text: str = "It is on.") -> RunReport:
    run = run_of(rules={"answer_match": 0.8, "seconds": None}, value_range=(0.0, 100.0))
    expected = [a_turn("Turn it off.", "It is off.", [("switch", {"on": False})])]
    actual = [a_turn("Turn it off.", text, [("switch", {"on": True})])]
    run.add("good", {"answer_match": [1.0], "seconds": [2.5]}, expected=expected, actual=expected)
    run.add("bad", {"answer_match": [0.7999], "seconds": [1.0]}, expected=expected, actual=actual)
    report: RunReport = run.report()
    return report


def test_the_page_is_one_file_in_which_nothing_else_runs(run_of: Any, a_turn: Any, write: Any) -> None:
    raw = write(HtmlReporter(), mixed(run_of, a_turn))
    page = Page(raw.decode())

    policy = next(attrs["content"] or "" for tag, attrs in page.tags if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        [code] = [text for name, attrs, text in page.texts if name == tag and not attrs]
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    addresses = {"src", "href", "srcset", "action", "data", "poster", "style"}
    assert [attrs for _, attrs in page.tags if addresses & attrs.keys()] == []
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert not re.search(rb"https?://(?!www\.w3\.org/2000/svg)", raw)


def test_the_page_beside_its_data_is_small(run_of: Any, a_turn: Any, write: Any) -> None:
    raw = write(HtmlReporter(), mixed(run_of, a_turn)).decode()
    data = sum(len(text) for _, attrs, text in Page(raw).texts if "data-part" in attrs)

    assert len(raw.encode()) - data < 300 * 1024


def test_a_case_is_shown_beside_what_was_expected(run_of: Any, a_turn: Any, write: Any) -> None:
    page = Page(write(HtmlReporter(), mixed(run_of, a_turn)).decode())
    run = page.part("run")

    assert run["verdict"] == ["FAIL", "fail", "1 of 2 cases failed, 1 passed"]
    assert [(row["id"], row["status"]) for row in run["rows"]] == [("good", "PASS"), ("bad", "FAIL")]
    assert run["rows"][1]["headline"] == "answer_match 0.7999, below the threshold 0.80"
    [turn] = page.case(run["rows"][1]["key"])["repeats"][0]["turns"]
    assert turn["expected"]["answer"] == [["It is ", False], ["off", True], [".", False]]
    assert turn["actual"]["answer"] == [["It is ", False], ["on", True], [".", False]]
    assert turn["actual"]["calls"] == [{"name": "switch", "args": [["on", "true", False]]}]


def test_of_several_repeats_the_first_that_did_not_pass_is_opened(run_of: Any, write: Any) -> None:
    run = run_of()
    for repeat, score in enumerate((1.0, 0.1, 1.0), 1):
        run.add("flaky", {"answer_match": [score]}, repeat=repeat)

    page = Page(write(HtmlReporter(), run.report()).decode())

    [row] = page.part("run")["rows"]
    case = page.case(row["key"])
    assert (case["status"], case["opens"]) == ("FAIL", 2)
    assert [repeat["status"] for repeat in case["repeats"]] == ["PASS", "FAIL", "PASS"]
    [overall] = case["overall"]
    assert overall["shown"] == "mean 0.70, below the threshold 0.80, standard deviation 0.52"


def test_what_a_log_says_is_nowhere_markup(run_of: Any, a_turn: Any, write: Any) -> None:
    run = run_of(run={"name": HOSTILE}, warnings=(HOSTILE,))
    turns = [a_turn(HOSTILE, HOSTILE, [(HOSTILE, {HOSTILE: HOSTILE})])]
    run.add(HOSTILE, {"answer_match": [0.1]}, expected=turns, actual=turns, file=HOSTILE)

    page = Page(write(HtmlReporter(), run.report()).decode())

    assert {tag for tag, _ in page.tags} <= {
        *("html", "head", "meta", "title", "style", "body", "div", "p", "noscript", "code", "script"),
    }
    assert sum(tag == "script" for tag, _ in page.tags) == 3
    shown = json.dumps(page.case(page.part("run")["rows"][0]["key"]), ensure_ascii=False)
    assert "<script>alert(1)</script>" in shown
    assert not re.search("[\x00-\x08\x1b\u202a-\u202e]", shown)


def test_rubrics_have_their_texts_beside_what_was_decided(
    tmp_path: Path, adjudge: Callable[..., CompletedProcess[str]]
) -> None:
    """The results know the ids of rubrics alone: those of the case, and those of the configuration."""
    site = tmp_path / "installed"
    fake_distribution(site, "rude", entry_points={"rude": "rude"}, modules={"rude": JUDGE})

    def rubric(name: str, text: str) -> dict[str, Any]:
        return {"rubric_id": name, "rubric_content": {"text_property": text}}

    turn = {
        "user_content": {"parts": [{"text": "Hello?"}]},
        "final_response": {"parts": [{"text": "Hello."}]},
    }
    case = {"eval_id": "hello", "conversation": [turn], "rubrics": [rubric("own", "It is short.")]}
    (tmp_path / "s.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}))
    options = {"threshold": 0.5, "rubrics": [rubric("r1", "It is <b>polite</b>.")]}
    config = {"criteria": {"rubric_based_final_response_quality_v1": options}}
    (tmp_path / "c.json").write_text(json.dumps(config))
    (tmp_path / "bot.py").write_text(
        'def agent(text): return {"final_response": {"parts": [{"text": "Hi."}]}}'
    )
    done = adjudge(
        *("eval", "bot:agent", "s.evalset.json", "--config_file_path", "c.json", "--judge", "rude/m"),
        *("--output", "r.html"),
        PYTHONPATH=str(site),
    )

    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    [row] = page.part("run")["rows"]
    [turn_shown] = page.case(row["key"])["repeats"][0]["turns"]
    [finding] = turn_shown["findings"]
    assert done.returncode == 0, done.stderr
    assert {check["id"]: check["text"] for check in finding["checks"]} == {
        "r1": "It is <b>polite</b>.",
        "own": "It is short.",
    }
