"""Converts messages of chat models to steps.

``messages`` reads chat completions; ``parts`` reads their content parts, including Anthropic's blocks; ``items`` reads
items of OpenAI's Responses API and complete answers of models; ``answers`` finds the agent's answer to its user.
"""

from adjudge.kit.openai.answers import answer_among, answer_of, answering
from adjudge.kit.openai.arguments import arguments_of
from adjudge.kit.openai.items import is_message, messages_of_reply, step_from_item
from adjudge.kit.openai.messages import ROLES, step_from_openai, usage_from_openai

__all__ = [
    "ROLES",
    "answer_among",
    "answer_of",
    "answering",
    "arguments_of",
    "is_message",
    "messages_of_reply",
    "step_from_item",
    "step_from_openai",
    "usage_from_openai",
]
