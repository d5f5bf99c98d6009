"""Messages that chat models are sent and answer with, as steps.

``messages`` reads chat completions, ``parts`` what their content is made of, Anthropic's blocks included, ``items``
the items of OpenAI's Responses API, ``replies`` a model's whole answer, and ``answers`` finds what an agent answered its user.
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
