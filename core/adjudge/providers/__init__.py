"""What judge backends share: one bounded exchange of JSON, and failures in the words of ``JudgeError``.

Agents behind HTTP read their bodies with it.

Plugins reach it as ``adjudge.plugin.providers``.
"""

from adjudge.providers.addresses import address_problem, host_of, nobody_listens
from adjudge.providers.body import body_within, excerpt
from adjudge.providers.chat_completions import ChatCompletions
from adjudge.providers.connection import ProviderConnection
from adjudge.providers.failures import failure_of_status, retry_after_of
from adjudge.providers.fields import count_of, object_of, objects_of, sum_of, text_of
from adjudge.providers.generate_content import (
    generate_content_body,
    generate_content_failure,
    generate_content_reply,
    generate_content_retry_after,
)
from adjudge.providers.options import with_options

__all__ = [
    "ChatCompletions",
    "ProviderConnection",
    "address_problem",
    "body_within",
    "count_of",
    "excerpt",
    "failure_of_status",
    "generate_content_body",
    "generate_content_failure",
    "generate_content_reply",
    "generate_content_retry_after",
    "host_of",
    "nobody_listens",
    "object_of",
    "objects_of",
    "retry_after_of",
    "sum_of",
    "text_of",
    "with_options",
]
