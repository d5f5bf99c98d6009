"""Strict JSON: what is refused, and that the message says where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.adk.json_input import parse_json, read_json
from adjudge.errors import InputError, Problem


def problem(text: str | bytes) -> Problem:
    with pytest.raises(InputError) as caught:
        parse_json(text, source="input.json")
    (only,) = caught.value.problems
    assert only.file == "input.json"
    return only


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"a": 1, # why\n"b": 2}', 1, 10, "JSON has no comments"),
        ('{"a": 1}\n// done', 2, 1, "JSON has no comments"),
        ("[1, /* two */ 2]", 1, 5, "JSON has no comments"),
        ("# first\n{}", 1, 1, "JSON has no comments"),
        ('{\n "a": [1,\n 2,\n ]}', 3, 3, "no trailing commas"),
        ('{"a": 1,\n}', 1, 8, "no trailing commas"),
        ("{'a': 1}", 1, 2, "double quotes"),
        ('{"a": 1 "b": 2}', 1, 9, "','"),
        ('{"a": tru}', 1, 7, "'tru'"),
        ('{"a": "x', 1, 7, "no end"),
        ('{"a": [1, 2', 1, 12, "cut off"),
        ("", 1, 1, "nothing"),
        ('{"a": 1} {"a": 2}', 1, 10, "end of the text"),
        ('{"a": NaN}', 1, 7, "NaN"),
        ('{"a": -Infinity}', 1, 7, "finite"),
        ('{"a":\n 1e999}', 2, 2, "too large"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', 1, 24, "'c' a second time"),
        ('["\\ud800"]', 1, 2, "surrogate"),
        ('["é", "\\uDC00x"]', 1, 7, "surrogate"),
        ("[" * 101 + "]" * 101, 1, 101, "inside one another"),
        ("[" * 100_000, 1, 101, "inside one another"),
        ('{"a":' * 100_000, 1, 501, "inside one another"),
        ("9" * 5000, 1, 1, "4300 digits"),
        ('{"a": "\t"}', 1, 8, "control character"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_its_place(
    text: str, line: int, column: int, words: str
) -> None:
    found = problem(text)
    assert (found.line, found.column) == (line, column)
    assert words in str(found)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"a": "é"}'.encode("utf-16"), "UTF-16"),
        ('{"a": 1}'.encode("utf-16-le"), "UTF-16"),
        ('{"a": 1}'.encode("utf-32"), "UTF-16"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary"),
        ('{"a": "é"}'.encode("latin-1"), "not UTF-8"),
        (b'{"a": "\xe3\x81', "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
    ],
)
def test_only_utf_8_is_read(data: bytes, words: str) -> None:
    assert words in problem(data).what


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "marked.json"
    path.write_bytes(b"\xef\xbb\xbf" + '{"a": "é"}'.encode())
    assert read_json(path) == {"a": "é"}


def test_a_surrogate_pair_in_escapes_is_a_character() -> None:
    assert parse_json('["\\ud83d\\ude00"]', source="x") == ["😀"]


def test_depth_up_to_the_limit_is_read() -> None:
    assert parse_json("[" * 100 + "]" * 100, source="x")


@pytest.mark.parametrize("name", ["absent.json", "."])
def test_a_file_that_cannot_be_read_is_a_message(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"no such file|folder"):
        read_json(tmp_path / name)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@given(value=JSON, indent=st.sampled_from([None, 1]), escaped=st.booleans())
def test_every_json_value_is_read_as_it_is(value: Any, indent: int | None, escaped: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    assert json.dumps(parse_json(text, source="x")) == json.dumps(value)


@given(data=st.binary(max_size=200) | st.text("[]{},:\"'\\u0d8n1.e-+ #/\n", max_size=60).map(str.encode))
def test_any_bytes_are_json_or_one_message(data: bytes) -> None:
    try:
        value = parse_json(data, source="x")
    except InputError as error:
        assert len(error.problems) == 1
    else:
        assert value == json.loads(data.decode("utf-8-sig"))


def test_a_value_longer_than_a_buffer_is_read_and_its_mistake_found(tmp_path: Path) -> None:
    rows = [{"row": i, "text": "あ" * 50} for i in range(20_000)]
    good = json.dumps(rows, ensure_ascii=False, indent=0)
    path = tmp_path / "long.json"
    path.write_text(good, encoding="utf-8")
    assert read_json(path) == rows
    path.write_text(good[:-1] + ",]", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_json(path)
    (found,) = caught.value.problems
    assert (found.line, found.column) == (good.count("\n") + 1, 1)
    assert "trailing comma" in found.what


@pytest.fixture
def numbers_at_every_place() -> Callable[[int], str]:
    return lambda padding: "[" + " " * padding + "-12.5e+3 , 1234567, true, 1e-2]"


def test_a_number_is_not_cut_where_a_buffer_ends(numbers_at_every_place: Callable[[int], str]) -> None:
    edge = 1 << 18
    for padding in range(edge - 40, edge + 2):
        text = numbers_at_every_place(padding)
        assert parse_json(text, source="x") == [-12500.0, 1234567, True, 0.01]
