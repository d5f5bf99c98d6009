"""ROUGE-1 over words of every script, as a caller of ``adjudge.kit.matching`` sees it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from adjudge.kit.matching import rouge_1
from adjudge.kit.matching.words import words

ASCII_TEXT = st.text(st.characters(max_codepoint=127), max_size=200) | st.lists(
    st.sampled_from(
        ["the", "The", "a", "lights", "lighting", "turned", "turning", "OFF", "device_2", "running's"]
    )
    | st.sampled_from(["3.14", "id-7", "generally", "generalization", "happier", "flies", "dying"]),
    max_size=40,
).map(" ".join)

ANY_TEXT = st.text(max_size=60) | st.text(
    st.sampled_from("aé 日本ーが語한글ไทยครับ🎉👍🏽\u200d\ufe0f\u0301ßİ・。!"), max_size=40
)


@given(ASCII_TEXT, ASCII_TEXT)
def test_ascii_scores_are_those_of_rouge_score_to_the_last_bit(expected: str, actual: str) -> None:
    scores = RougeScorer(["rouge1"], use_stemmer=True).score(expected, actual)["rouge1"]

    assert rouge_1(expected, actual) == (scores.precision, scores.recall, scores.fmeasure)


@given(ANY_TEXT, ANY_TEXT)
def test_shares_are_symmetric_and_between_zero_and_one(expected: str, actual: str) -> None:
    there, back = rouge_1(expected, actual), rouge_1(actual, expected)

    assert all(0.0 <= share <= 1.0 for share in there)
    assert (there.precision, there.recall) == (back.recall, back.precision)


@given(ANY_TEXT)
def test_a_text_with_words_equals_itself_in_every_unicode_form(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        expected = 1.0 if words(text) else 0.0
        assert rouge_1(text, unicodedata.normalize(form, text)).f1 == expected


@pytest.mark.parametrize(
    "text",
    [
        "さまざまなサイズのサイコロを振ったり、数字が素数かどうかを確認したりできます。",
        "17が出ました。",
        "サイコロで4と7が出て、9は素数ではありません。\n",
        "device_2のステータスをオフに設定しました。",
        "에이전트의 최종 응답이 일치하는지 평가합니다.",
        "你好，世界",
        "สวัสดีครับ",
        "ພາສາລາວ",
        "ភាសាខ្មែរ",
        "မြန်မာစာ",
        "नमस्ते दुनिया",
        "مرحبا بالعالم",
        "می\u200cخواهم",
        "Привет, мир",
        "naïve café",
        "Größe",
        "🎉",
        "👩‍👩‍👧",
        "👍🏽",
        "🇯🇵",
        "❤️‍🔥",
        "1️⃣",
        "★",
    ],
)
def test_a_text_equals_itself(text: str) -> None:
    assert rouge_1(text, text) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("expected", "actual", "f1"),
    [
        ("17が出た", "18が出た", 3 / 4),
        ("17が出ました。", "18が出ました", 5 / 6),
        ("東京は晴れ", "京都は晴れ", 4 / 5),
        ("안녕하세요", "안녕", 2 * 2 / (5 + 2)),
        ("불을 껐습니다", "불을 켰습니다", 5 / 6),
        ("今天天气很好", "今天天气不好", 5 / 6),
        ("你好", "您好", 1 / 2),
        ("สวัสดีครับ", "สวัสดีค่ะ", 2 * 4 / (7 + 6)),
        ("Привет, мир", "привет МИР!", 1.0),
        ("Привет, мир", "Привет, Пётр", 1 / 2),
    ],
)
def test_near_matches_score_by_their_share(expected: str, actual: str, f1: float) -> None:
    assert rouge_1(expected, actual).f1 == pytest.approx(f1)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("naïve café", "naive cafe"),
        ("Le résumé de l’été", "le resume de l'ete"),
        ("Ångström", "ANGSTROM"),
        ("Straße", "STRASSE"),
        ("İstanbul", "istanbul"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("ﾊﾟｰﾃｨｰ", "パーティー"),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("“Turned off” – really…", "turned off, really"),
        ("トム・クルーズ", "トムクルーズ"),
        ("co\u00adoperate", "cooperate"),
        ("❤️", "❤"),
        ("ปี2024", "ปี 2024"),
        ("- one\n- two", "● one\n● two"),
        ("日本語 text", "TEXT 日本語"),
    ],
)
def test_what_a_reader_takes_for_the_same_words(expected: str, actual: str) -> None:
    assert rouge_1(expected, actual).f1 == 1.0


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("resumé", "résumé"),
        ("má", "mà"),
        ("が", "か"),
        ("мой", "мои"),
        ("कि", "क"),
        ("👍", "👎"),
        ("👍🏽", "👍"),
        ("🇯🇵", "🇰🇷"),
        ("👩‍👩‍👧", "👩"),
        ("猫", "犬"),
        ("", "猫"),
        ("。", "。"),
        ("!?", "!?"),
    ],
)
def test_what_shares_no_word(expected: str, actual: str) -> None:
    assert rouge_1(expected, actual) == (0.0, 0.0, 0.0)


def test_an_accented_word_takes_its_exact_partner_first() -> None:
    assert rouge_1("café cafe", "cafe café").f1 == 1.0
    assert rouge_1("café café", "café cafe").f1 == 1.0
    assert rouge_1("café", "cafe cafe") == (0.5, 1.0, pytest.approx(2 / 3))


def test_an_emoji_is_a_word_among_words() -> None:
    assert words("Done ✅, bye 👋🏽!") == ["done", "✅", "bye", "👋🏽"]
    assert rouge_1("I feel 😀", "I feel 😡").f1 == pytest.approx(2 / 3)


ADK = """
import json, sys
from google.adk.evaluation.final_response_match_v1 import _calculate_rouge_1_scores
for line in sys.stdin:
    expected, actual = json.loads(line)
    score = _calculate_rouge_1_scores(actual, expected)
    print(json.dumps([score.precision, score.recall, score.fmeasure]))
"""


def generated_pairs() -> list[tuple[str, str]]:
    """Texts of ASCII words, of Japanese, Korean and Chinese, and of words with accents on both sides."""
    chosen = random.Random(20250101)
    english = ["The", "device_2", "turned", "off;", "turning", "ON", "3.14", "$5", "don't", "happiness"]
    cjk = list("寝室の電気を消しました。東京は晴れ、カタカナひらがな불을껐습니다天气很好，「」 ")
    accents = ["café", "naïve", "Größe", "año", "Привет", "мир", "عربي", "हिन्दी", "déjà", "off", "turned"]
    pairs: list[tuple[str, str]] = []
    for vocabulary, glue, count in ((english, " ", 1500), (cjk, "", 1000), (accents, " ", 500)):
        for _ in range(count):
            left, right = (glue.join(chosen.choices(vocabulary, k=chosen.randint(0, 25))) for _ in "lr")
            pairs.append((left, right))
    return pairs


def test_scores_equal_those_of_google_adk() -> None:
    python = os.environ.get("ADJUDGE_ADK_PYTHON")
    if not python:
        pytest.skip("ADJUDGE_ADK_PYTHON names no interpreter that has google-adk")
    pairs = generated_pairs()
    done = subprocess.run(
        [python, "-c", ADK],
        input="".join(json.dumps(pair) + "\n" for pair in pairs),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    theirs = [tuple(json.loads(line)) for line in done.stdout.splitlines()]

    assert [rouge_1(*pair) for pair in pairs] == theirs
