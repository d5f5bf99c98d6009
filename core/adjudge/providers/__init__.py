"""What judge backends share: one bounded exchange of JSON, and failures in the words of ``JudgeError``.

Agents behind HTTP read their bodies with it.

Plugins reach it as ``adjudge.plugin.providers``.
"""

from adjudge.providers.addresses import (
    address_problem,
    host_of,
    is_on_this_machine,
    nobody_listens,
    shown_address,
)
from adjudge.providers.body import body_within, excerpt, redacted
from adjudge.providers.chat_completions import ChatCompletions
from adjudge.providers.connection import ProviderConnection, direct_routes
from adjudge.providers.failures import failure_of_status, retry_after_of
from adjudge.providers.fields import count_of, object_of, objects_of, sum_of, text_of
from adjudge.providers.generate_content import (
    generate_content_body,
    generate_content_failure,
    generate_content_reply,
    generate_content_retry_after,
)
from adjudge.providers.keys import key_problem, without_secrets
from adjudge.providers.options import with_options
from adjudge.providers.probe import json_at

__all__ = [
    "ChatCompletions",
    "ProviderConnection",
    "address_problem",
    "body_within",
    "count_of",
    "direct_routes",
    "excerpt",
    "failure_of_status",
    "generate_content_body",
    "generate_content_failure",
    "generate_content_reply",
    "generate_content_retry_after",
    "host_of",
    "is_on_this_machine",
    "json_at",
    "key_problem",
    "nobody_listens",
    "object_of",
    "objects_of",
    "redacted",
    "retry_after_of",
    "shown_address",
    "sum_of",
    "text_of",
    "with_options",
    "without_secrets",
]
