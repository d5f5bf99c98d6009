"""How an answer is cut into sentences: any language, Markdown, code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge_plugins.criteria.judged.hallucinations import sentences as module

sentences = module.sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Smith leaves at 5 p.m. on Monday. The fare is 3.50 USD! Is that all? See https://a.b/c.html now.",
            [
                "Dr. Smith leaves at 5 p.m. on Monday.",
                "The fare is 3.50 USD!",
                "Is that all?",
                "See https://a.b/c.html now.",
            ],
        ),
        (
            "東京の天気は晴れです。気温は20.5度です！「傘は要りません。」と言いました。",
            ["東京の天気は晴れです。", "気温は20.5度です！", "「傘は要りません。」", "と言いました。"],
        ),
        ("你好。今天天气很好！我们走吗？是的。", ["你好。", "今天天气很好！", "我们走吗？", "是的。"]),
        (
            "안녕하세요. 기온은 20.5도입니다! 우산이 필요 없어요.다음 문장입니다.",
            ["안녕하세요.", "기온은 20.5도입니다!", "우산이 필요 없어요.", "다음 문장입니다."],
        ),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
        ("مرحبا. كيف حالك؟ أنا بخير.", ["مرحبا.", "كيف حالك؟", "أنا بخير."]),
        ("Done. 東京は晴れ。OK! 좋아요.", ["Done.", "東京は晴れ。", "OK!", "좋아요."]),
    ],
    ids=["en", "ja", "zh", "ko", "hi", "ar", "mixed"],
)
def test_sentences_of_many_languages(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


def test_lists_headings_and_tables_end_with_their_line() -> None:
    text = """## Your trip

Here is the plan:
1. First the museum. It opens at nine.
2. Then lunch
   near the river.
* **Cheap.** Bring *cash.* They take no cards
> Said a guest

| day | price |
|-----|-------|
| Mon | 3.50. Dr. X |

---
Total: 20 EUR
Paid: no"""
    assert list(sentences(text)) == [
        "## Your trip",
        "Here is the plan:",
        "1. First the museum.",
        "It opens at nine.",
        "2. Then lunch\n   near the river.",
        "* **Cheap.**",
        "Bring *cash.*",
        "They take no cards",
        "> Said a guest",
        "| day | price |",
        "| Mon | 3.50. Dr. X |",
        "Total: 20 EUR",
        "Paid: no",
    ]


@pytest.mark.parametrize("end", ["\n```", ""], ids=["closed", "never closed"])
def test_a_block_of_code_is_one_sentence(end: str) -> None:
    code = f'```python\nx = f(1.0). y\n\nprint("One. Two.")\nprint(x){end}'

    found = sentences(f"Run this:\n{code}\nThen wait.") if end else sentences(f"Run this:\n{code}")

    assert found[:2] == ("Run this:", code)
    assert found[2:] == (("Then wait.",) if end else ())


@pytest.mark.parametrize("text", ["", " \n\t", "---", "…", "| - | - |", "\n\n> \n"])
def test_what_says_nothing_has_no_sentence(text: str) -> None:
    assert sentences(text) == ()


def test_a_pictograph_alone_says_something() -> None:
    assert sentences("👍") == ("👍",)


@given(st.text(st.characters()) | st.text("ab1. \n`~*-#>|!?。！「」다🎉\r\ud83d"))
def test_no_word_of_anybody_is_lost(text: str) -> None:
    """Whatever the text is, half characters included, its words stand in the sentences in order."""
    readable = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    words = [sign for sign in readable if sign.isalnum()]

    assert [sign for piece in sentences(text) for sign in piece if sign.isalnum()] == words


@pytest.mark.parametrize("unit", ["“", "«", "「あ。」", "“a.” ", "("])
def test_many_signs_do_not_hold_a_run_up(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's time grows with the square of what it is handed: 200,000 open quotes took half a minute."""
    handed: list[int] = []
    segment = module.segment  # type: ignore[attr-defined]

    def noted(language: str, text: str) -> object:
        handed.append(len(text))
        return segment(language, text)

    monkeypatch.setattr(module, "segment", noted)
    sentences(unit * (200_000 // len(unit)))
    assert max(handed) <= 4000
    assert sum(handed) <= 2 * 200_000


def test_sentences_of_a_line_that_is_longer_than_a_window_are_whole() -> None:
    told = [
        f"Sentence number {number} says that {'very ' * (number % 40)}little is known."
        for number in range(500)
    ]
    assert list(sentences(" ".join(told))) == told


def test_a_sentence_without_an_end_loses_nothing() -> None:
    endless = " ".join(f"word{number}" for number in range(3000))
    found = sentences(endless)
    assert "".join(found).replace(" ", "") == endless.replace(" ", "")
    assert max(map(len, found)) <= 4000
