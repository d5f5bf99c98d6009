"""Markdown for comments: what a person reads there, and nothing that a log could make of it."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from adjudge.model.evidence import Failure
from adjudge.model.measurement import Outcome
from adjudge.plugin import RunReport
from adjudge.testing import ReporterConformance
from adjudge_plugins.reporters import markdown_reporter
from adjudge_plugins.reporters.markdown_reporter.reporter import LIMIT, MarkdownReporter

HOSTILE = [
    "</sub><script>alert(1)</script><img src=x onerror=alert(1)>",
    "`code` ``two`` [link](javascript:alert(1)) ![x](http://evil.example/p.png)",
    "@everyone please see #1 and acme/shop#2, a|b|c",
    "line\n# heading\n- item\n\n| a |\n|---|\n<!-- \u2028 \x1b[31m \u202e",
    "`",
    "",
]


class TestConformance(ReporterConformance):
    plugin = markdown_reporter
    component = "markdown"


def home(run_of: Any, a_turn: Any) -> RunReport:
    run = run_of(rules={"answer_match": 0.8, "seconds": None}, value_range=(0.0, 100.0))
    expected = [a_turn("Turn it off.", "It is off.")]
    run.add("good", {"answer_match": [1.0], "seconds": [2.5]}, expected=expected, actual=expected)
    actual = [a_turn("Turn it off.", "It is on.")]
    run.add("bad", {"answer_match": [0.7999], "seconds": [1.0]}, expected=expected, actual=actual)
    report: RunReport = run.report()
    return report


def test_the_verdict_stands_first_and_a_failure_says_what_differs(
    run_of: Any, a_turn: Any, write: Any
) -> None:
    assert write(MarkdownReporter(), home(run_of, a_turn)).decode() == (
        "<!-- adjudge_version: 0.1.0 -->\n"
        "## 🔴 FAIL 1 of 2 cases failed, 1 passed\n"
        "\n"
        "| criterion | mean | threshold | passed | others |\n"
        "|---|---:|---:|---:|---|\n"
        "| `answer_match` | 0.90 | ≥ 0.80 | 1/2 | 1 failed |\n"
        "| `seconds` | 1.75 | – | – | 2 informational |\n"
        "\n"
        "### What did not pass\n"
        "\n"
        "- 🔴 **FAIL** `home.evalset.json:bad` `answer_match 0.7999, below the threshold 0.80`\n"
        "  - `expected It is [-off-].`\n"
        "  - `actual It is {+on+}.`\n"
        "\n"
        "<sub>run `nightly`, 4.2 s, adjudge `0.1.0`</sub>\n"
    )


def test_what_a_log_says_is_read_as_text_alone(run_of: Any, a_turn: Any, write: Any) -> None:
    run = run_of(rules=dict.fromkeys([*HOSTILE[:4], "answer_match"], 0.8), run={"name": HOSTILE[1]})
    for number, text in enumerate(HOSTILE):
        turns = [a_turn(text, text, [(text or "x", {text: text})])]
        other = [a_turn(text, f"{text} else", [])]
        run.add(
            f"{number}{text}",
            {name: [0.1] for name in run.rules},
            expected=turns,
            actual=other,
            file=text or "f",
        )
    text = write(MarkdownReporter(), run.report()).decode()

    markdown = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    kinds: dict[str, list[str]] = {}
    for token in markdown.parse(text):
        for part in [token, *(token.children or [])]:
            kinds.setdefault(part.type, []).append(part.content)
    assert not kinds.keys() & {"link_open", "image", "fence", "code_block", "s_open"}
    assert set(kinds["html_inline"]) == {"<sub>", "</sub>"}
    assert kinds["html_block"] == ["<!-- adjudge_version: 0.1.0 -->\n"]
    assert len(kinds["tr_open"]) == 1 + len(run.rules)
    said = "".join(part for kind in ("text", "inline_text") for part in kinds.get(kind, []))
    assert "@" not in said
    assert "#" not in said
    assert any("<script>alert(1)</script>" in part for part in kinds["code_inline"])


@pytest.mark.parametrize("answer", ["It is on.", "on " * 2000], ids=["many", "long"])
def test_a_report_has_room_in_a_comment_and_says_what_it_leaves_out(
    run_of: Any, a_turn: Any, write: Any, answer: str
) -> None:
    run = run_of()
    for number in range(1_000):
        run.add(
            f"case {number}",
            {"answer_match": [0.1]},
            expected=[a_turn("Turn it off.", "It is off.")],
            actual=[a_turn("Turn it off.", answer)],
        )
    text = write(MarkdownReporter(), run.report()).decode()

    assert len(text) <= LIMIT
    shown = text.count("**FAIL**")
    assert shown > 100
    assert f"and {1_000 - shown:,} more that did not pass" in text
    assert "`adjudge runs show nightly --output report.html`" in text


def test_failures_come_before_errors_and_undecided_cases(run_of: Any, write: Any) -> None:
    run = run_of()
    for number in range(500):
        run.add(f"undecided {number}", {"answer_match": [Outcome.unsure("abstained", "Nobody can tell.")]})
        run.add(f"broken {number}", Failure(code="agent_raised", message="It broke. " * 30))
    run.add("failed", {"answer_match": [0.1]})

    text = write(MarkdownReporter(), run.report()).decode()

    found = re.findall(r"^- \S+ \*\*(\w+)\*\*", text, re.MULTILINE)
    assert len(text) <= LIMIT
    assert found[0] == "FAIL"
    assert set(found[1:]) == {"error"}
    assert f"and {1_001 - len(found):,} more that did not pass" in text


@pytest.mark.parametrize("character", ["`", "|", "x"])
def test_no_name_makes_a_report_longer_than_its_limit(run_of: Any, write: Any, character: str) -> None:
    long = character * 1_000
    names = [f"{number:03}{long}" for number in range(60)]
    warnings = tuple(f"{number}{long}" for number in range(100))
    before, after = (run_of(rules=dict.fromkeys(names, threshold)) for threshold in (0.5, 0.6))
    for number in range(30):
        before.add(f"{number}{long}", {name: [1.0] for name in names}, file=long)
        after.add(f"{number}{long}", {name: [0.1] for name in names}, file=long)
    report = dataclasses.replace(after.report(), warnings=warnings, baseline=before.report())

    text = write(MarkdownReporter(), report).decode()

    assert len(text) <= LIMIT
    assert text.splitlines()[1].startswith("## 🔴 FAIL")
    assert "- 🔴 **FAIL** " in text
    for said in ("10 more criteria", "50 more notes", "10 more changes", "95 more warnings"):
        assert f"and {said}" in text
    assert text.endswith("</sub>\n")
