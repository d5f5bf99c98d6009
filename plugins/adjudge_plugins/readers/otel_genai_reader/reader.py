"""Reads spans that follow OpenTelemetry's GenAI conventions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.otel_genai_reader.convention import tell

_NAMES: Final = (b'"gen_ai.', b'"gcp.vertex.agent.')
_OTHER_CONVENTION: Final = (b'"openinference.span.kind"', b'"openinference.instrumentation.')
_CONVERSATION: Final = ("gen_ai.conversation.id", "gcp.vertex.agent.session_id")


class OtelGenAIReader:
    """Reads one trace at a time; spans are buffered on disk."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether these are spans, and one has an attribute of the conventions."""
        named = any(name in head for name in _NAMES) and not any(other in head for other in _OTHER_CONVENTION)
        return named and spans.holds_spans(head)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield one trajectory per conversation; per trace if no conversation is named.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        return spans.trajectories_of_spans(source, options, tell, conversation_attributes=_CONVERSATION)
