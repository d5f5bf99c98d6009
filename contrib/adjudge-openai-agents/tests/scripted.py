"""A model that is a program: agents of the SDK without a network."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)
from openai.types.responses.response_reasoning_item import Summary


class Scripted(Model):
    """Answers what ``reply`` makes of the last thing that was said: texts and outputs."""

    def __init__(self, reply: Callable[[str, list[Any]], Any]) -> None:
        self.reply = reply
        self.streamed = 0

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **more: Any) -> Any:  # noqa: A002
        made = self.reply(heard(input), input)
        outputs = made if isinstance(made, list) else [made]
        return ModelResponse(
            output=[message(each) if isinstance(each, str) else each for each in outputs],
            usage=Usage(requests=1, input_tokens=10, output_tokens=5, total_tokens=15),
            response_id=None,
        )

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        self.streamed += 1
        made = await self.get_response(*args, **options)
        response = Response(
            id="r",
            created_at=0,
            model="scripted",
            object="response",
            output=made.output,
            tool_choice="auto",
            tools=[],
            parallel_tool_calls=True,
        )
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)


def heard(items: Any) -> str:
    """The first word of the user, else ``after_NAME`` where the last item is the result of a call."""
    last = items[-1]
    if last.get("type") == "function_call_output":
        names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
        return f"after_{names[last['call_id']]}"
    content = last["content"]
    words = (content if isinstance(content, str) else content[0]["text"]).split()
    return words[0].strip(".,")


def message(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[part])


def thought(text: str) -> ResponseReasoningItem:
    return ResponseReasoningItem(id="t", type="reasoning", summary=[Summary(type="summary_text", text=text)])


def call(name: str, call_id: str = "1", **args: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        type="function_call", name=name, call_id=call_id, arguments=json.dumps(args)
    )
