"""What judge backends share: one bounded exchange of JSON, and failures in the words of ``JudgeError``.

Agents behind HTTP read their bodies with it.
"""

from adjudge.kit.http_judge.addresses import (
    address_problem,
    host_of,
    is_on_this_machine,
    nobody_listens,
)
from adjudge.kit.http_judge.body import body_within, excerpt, redacted
from adjudge.kit.http_judge.chat_completions import ChatCompletions
from adjudge.kit.http_judge.connection import ProviderConnection, direct_routes
from adjudge.kit.http_judge.failures import failure_of_status, retry_after_of
from adjudge.kit.http_judge.fields import count_of, object_of, objects_of, sum_of, text_of
from adjudge.kit.http_judge.generate_content import (
    generate_content_body,
    generate_content_failure,
    generate_content_reply,
    generate_content_retry_after,
)
from adjudge.kit.http_judge.keys import key_problem, without_secrets
from adjudge.kit.http_judge.options import with_options
from adjudge.kit.http_judge.probe import json_at
from adjudge.model.address import shown_address

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
