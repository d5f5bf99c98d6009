"""Shared code of judge backends with HTTP: ``HttpJudge``, exchanges of JSON with size limits, and ``JudgeError``.

``ChatCompletionsJudge`` and ``GenerateContentJudge`` are base classes for two protocols that several providers use.
Agent adapters for HTTP also use this package to read responses.
"""

from adjudge.kit.http_judge.addresses import (
    address_problem,
    host_of,
    is_on_this_machine,
    nobody_listens,
)
from adjudge.kit.http_judge.backend import HttpJudge
from adjudge.kit.http_judge.chat_completions import ChatCompletionsJudge, TokenLimit
from adjudge.kit.http_judge.connection import HttpAnswer, ProviderConnection, direct_routes
from adjudge.kit.http_judge.generate_content import (
    GenerateContentJudge,
    generate_content_error_code,
    generate_content_retry_after,
)
from adjudge.kit.http_judge.json_values import (
    count_or_none,
    object_or_empty,
    objects_or_empty,
    sum_or_none,
    text_or_empty,
)
from adjudge.kit.http_judge.keys import key_problem, without_secrets
from adjudge.kit.http_judge.probe import json_at
from adjudge.kit.http_judge.provider_options import with_options
from adjudge.kit.http_judge.response_body import body_within, excerpt, redacted
from adjudge.model.address import shown_address

__all__ = [
    "ChatCompletionsJudge",
    "GenerateContentJudge",
    "HttpAnswer",
    "HttpJudge",
    "ProviderConnection",
    "TokenLimit",
    "address_problem",
    "body_within",
    "count_or_none",
    "direct_routes",
    "excerpt",
    "generate_content_error_code",
    "generate_content_retry_after",
    "host_of",
    "is_on_this_machine",
    "json_at",
    "key_problem",
    "nobody_listens",
    "object_or_empty",
    "objects_or_empty",
    "redacted",
    "shown_address",
    "sum_or_none",
    "text_or_empty",
    "with_options",
    "without_secrets",
]
