"""A model that is a program: graphs without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

STREAMED: list[str] = []


class Scripted(BaseChatModel):
    """Answers what ``reply`` makes of the last thing that was said: a text, calls, or a message."""

    reply: Callable[[str, list[BaseMessage]], Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _message(self, messages: list[BaseMessage]) -> AIMessage:
        made = self.reply(heard(messages), messages)
        if isinstance(made, AIMessage):
            return made
        text, calls = (made, []) if isinstance(made, str) else ("", made)
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        told = {"model_name": "program-1"}
        return AIMessage(text, tool_calls=calls, usage_metadata=usage, response_metadata=told)

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._message(messages))])

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        STREAMED.append(heard(messages))
        made = self._message(messages)
        words = str(made.content).split(" ")
        for number, word in enumerate(words):
            last = number == len(words) - 1
            chunk = AIMessageChunk(
                word if last else f"{word} ",
                tool_calls=made.tool_calls if last else [],
                usage_metadata=made.usage_metadata if last else None,
                response_metadata=made.response_metadata if last else {},
            )
            yield ChatGenerationChunk(message=chunk)


def call(name: str, call_id: str = "1", **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def heard(messages: list[BaseMessage]) -> str:
    """The first word of the user, else ``after_NAME`` where the last message is the result of a call."""
    last = messages[-1]
    return f"after_{last.name}" if last.type == "tool" else str(last.text).split()[0].strip(".,")
