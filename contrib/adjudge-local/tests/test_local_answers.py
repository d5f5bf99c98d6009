"""What a model on this machine answers, with real weights."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.model import Choice, Exhibit, JudgedItem, Prompt, Question
from adjudge.plugin import (
    JudgeError,
    JudgeModelOptions,
    JudgeReply,
    JudgeRequest,
)
from adjudge.testing import FakeHost, FakeJudge, verdicts

Make = Callable[..., Any]
Ask = Callable[..., JudgeRequest]


def asked(backend: Any, *requests: JudgeRequest) -> list[JudgeReply]:
    """The replies to requests that are made at the same time."""

    async def ask() -> list[JudgeReply]:
        try:
            return list(await asyncio.gather(*map(backend.complete, requests)))
        finally:
            await backend.aclose()

    return asyncio.run(ask())


def refusal(backend: Any, request: JudgeRequest) -> JudgeError:
    with pytest.raises(JudgeError) as caught:
        asked(backend, request)
    return caught.value


def test_an_answer_keeps_to_the_schema_and_says_what_it_cost(
    folder: Path, backend: Make, question: Ask
) -> None:
    [reply] = asked(backend(), question("Is 4 even?"))

    answer = json.loads(reply.text)
    assert list(answer) == ["rationale", "verdict"]
    assert answer["verdict"] in ("yes", "no")
    assert reply.finish_reason == "stop"
    assert reply.usage is not None
    assert reply.usage.input_tokens and reply.usage.output_tokens
    assert reply.model_version is not None
    assert reply.model_version.startswith("small.gguf ")


def test_answers_do_not_depend_on_what_was_asked_before_or_meanwhile(
    folder: Path, backend: Make, question: Ask
) -> None:
    hot = {"temperature": 1.0, "max_tokens": 40}
    questions = [
        question(f"Is {number} a prime number? Why?", parameters=hot, seed=number) for number in (4, 7, 9)
    ]

    forwards = asked(backend(), *questions)
    backwards = asked(backend(), *reversed(questions))

    assert [reply.text for reply in forwards] == [reply.text for reply in reversed(backwards)]
    assert all(reply.usage is not None and not reply.usage.cached_tokens for reply in backwards)


def test_a_seed_decides_between_answers(folder: Path, backend: Make, question: Ask) -> None:
    hot = {"temperature": 1.5, "max_tokens": 30}
    replies = asked(
        backend(),
        *(question("Tell me of cats.", parameters=hot, schema_=None, seed=seed) for seed in (1, 2, 1)),
    )

    assert replies[0].text == replies[2].text != replies[1].text


def test_a_model_cannot_write_for_ever(folder: Path, backend: Make, question: Ask) -> None:
    [reply] = asked(backend(max_tokens=12), question("Tell a very long story.", parameters={}, schema_=None))

    assert reply.finish_reason == "length"
    assert reply.usage is not None
    assert reply.usage.output_tokens == 12


def test_every_text_of_an_answer_ends_so_that_the_verdict_is_reached(
    folder: Path, backend: Make, question: Ask
) -> None:
    [reply] = asked(backend(max_text=20), question("Explain at great length why cats purr.", parameters={}))

    answer = json.loads(reply.text)
    assert len(answer["rationale"]) <= 20
    assert answer["verdict"] in ("yes", "no")


def test_a_question_that_is_too_long_says_which_option_to_raise(
    folder: Path, backend: Make, question: Ask
) -> None:
    error = refusal(backend(context=512), question("word " * 1000))

    assert error.code == "context_too_long"
    assert "'context' under [judge.backends.local] (now 512)" in str(error)


def test_the_prompt_cache_cannot_be_turned_on(folder: Path, backend: Make, question: Ask) -> None:
    error = refusal(backend(), question("?", provider_options={"cache_prompt": True}))

    assert error.code == "bad_request"
    assert "'cache_prompt'" in str(error)


def test_further_options_go_to_the_model(folder: Path, backend: Make, question: Ask) -> None:
    banned = question("Say yes.", schema_=None, provider_options={"grammar": 'root ::= "never"'})

    [reply] = asked(backend(), banned)

    assert reply.text == "never"


def test_a_schema_that_cannot_be_kept_is_refused(folder: Path, backend: Make, question: Ask) -> None:
    error = refusal(backend(), question("?", schema_={"type": "nonsense"}))

    assert error.code == "schema_rejected"


def test_a_broken_file_is_refused_with_what_is_wrong(
    tmp_path: Path, weights: Path, backend: Make, question: Ask
) -> None:
    with weights.open("rb") as whole:
        (tmp_path / "half.gguf").write_bytes(whole.read(20_000_000))

    error = refusal(backend(), question("?", model="half.gguf"))

    assert error.code == "unknown_model"
    assert "half.gguf cannot be run" in str(error)
    assert "corrupted or incomplete" in str(error)


def test_a_model_that_can_judge_judges(judge_model: Path, backend: Make, question: Ask) -> None:
    words = "Reference answer: {}\nAnswer: {}\nDoes the answer agree with the reference answer?"
    pairs = [
        ("The refund takes 5 days.", "You will have your money back in five days.", "yes"),
        ("The refund takes 5 days.", "We do not give refunds.", "no"),
        ("The capital of Australia is Canberra.", "It is Canberra.", "yes"),
        ("The capital of Australia is Canberra.", "It is Sydney.", "no"),
    ]
    greedy = {"model": str(judge_model), "parameters": {"temperature": 0}}
    requests = [question(words.format(reference, said), **greedy) for reference, said, _ in pairs]

    replies = asked(backend(), *requests)

    assert [json.loads(reply.text)["verdict"] for reply in replies] == [label for _, _, label in pairs]


def test_a_mark_of_the_chat_template_in_a_log_is_not_one(
    folder: Path, backend: Make, question: Ask, tmp_path: Path
) -> None:
    """The server takes such a mark in a message for its own: one token, which ends the message."""
    mark = "<|im_end|>"
    seen: list[JudgeRequest] = []

    def answer(request: JudgeRequest) -> str:
        seen.append(request)
        return verdicts(request, "yes")

    judge = FakeHost(tmp_path, judge=FakeJudge(answer)).judge(JudgeModelOptions(num_samples=1))
    for text in ("x", "x" + 50 * mark):
        asyncio.run(
            judge.decide(
                Question(
                    prompt=Prompt(name="even", version=1, text="Is it even?"),
                    exhibits=(Exhibit(name="log", text=text),),
                    items=(JudgedItem(item_id="it", text="It is even."),),
                    choices=(
                        Choice(label="yes", meaning="yes", value=1),
                        Choice(label="no", meaning="no", value=0),
                    ),
                )
            )
        )
    raw = question("x" + 50 * mark), question("x")
    short = [
        request.model_copy(update={"model": raw[0].model, "parameters": {"max_tokens": 40}})
        for request in (*seen, *raw)
    ]
    clean, marked, as_it_is, without = (
        reply.usage.input_tokens for reply in asked(backend(), *short) if reply.usage
    )

    assert as_it_is - without <= 60, "as it is, each is one token: the template's own"
    assert marked - clean > 150, "in material they are words"
