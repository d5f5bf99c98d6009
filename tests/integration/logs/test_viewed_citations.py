"""Citations lead to the words that they quote, in real logs of other people's agents and in ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudge import read_run
from adjudge.kit.viewer import viewed


def cited_words(judging: Any, of_logs: Any, log: Path) -> list[tuple[str, str]]:
    """Of every citation in the views of a judged log: the quote, and the words at its place."""
    judging.cite = lambda request: of_logs.quotes(
        request, ("result", "observation", "action", "text", "error", "final_response"), 120
    )[:12]
    judging.run(str(log), of_logs.PROCESS, of_logs.OUTCOME, run="viewed")
    found: list[tuple[str, str]] = []
    with read_run("viewed") as report:
        for case in viewed(report).cases.values():
            for repeat in case["repeats"]:
                rows = {row["step"]: row for group in repeat["trace"]["groups"] for row in group["rows"]}
                for finding in repeat["findings"]:
                    for check in finding.get("checks", []):
                        for citation in check.get("citations", []):
                            assert citation["at"] is not None, citation
                            item, start, end = citation["at"]
                            text = rows[citation["row"]]["items"][item]["text"]
                            assert isinstance(text, str)
                            # As JavaScript cuts texts.
                            cut = text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
                            found.append((citation["quote"], cut))
    return found


def held(found: list[tuple[str, str]]) -> None:
    assert found
    for quote, cut in found:
        assert "".join(cut.split()) == "".join(quote.split())


@pytest.mark.parametrize("reader", ["adk_session", "browser_use", "langfuse", "magentic_one", "tau2"])
def test_in_small_logs(judging: Any, of_logs: Any, small_logs: dict[str, Path], reader: str) -> None:
    held(cited_words(judging, of_logs, small_logs[reader]))


@pytest.mark.parametrize(
    "reader", ["browser_use", "history_log", "openai_messages", "otel_genai", "swe_agent"]
)
def test_in_real_logs(judging: Any, of_logs: Any, real_logs: dict[str, Path], reader: str) -> None:
    held(cited_words(judging, of_logs, real_logs[reader]))


def test_after_characters_that_javascript_counts_twice(judging: Any, of_logs: Any) -> None:
    log = judging.log([{"step": 1, "action": "look()", "observation": "👩🏽‍💻 𠮷野家 😀 The milk is 1.09."}])
    judging.notes["rationale"] = "😀"

    held(cited_words(judging, of_logs, Path(log)))
