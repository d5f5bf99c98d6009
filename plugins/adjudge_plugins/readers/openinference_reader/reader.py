"""Reads spans that follow OpenInference's conventions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from adjudge.plugin import ReadOptions, Source, Trajectory
from adjudge_plugins.readers import spans
from adjudge_plugins.readers.openinference_reader.bodies import SCOPE
from adjudge_plugins.readers.openinference_reader.convention import KIND, KINDS, tell
from adjudge_plugins.readers.openinference_reader.nesting import spans_with_names

_NAMED: Final = f'"{KIND}"'.encode()
_SCOPE: Final = f'"{SCOPE}.'.encode()
_KIND: Final = re.compile(
    rf'"(?:span_kind|spanKind|kind)"\s*:\s*"(?:{"|".join(KINDS)})"'.encode(), re.IGNORECASE
)
"""The span kind outside of the attributes, as in exports of Phoenix and others."""


class OpenInferenceReader:
    """Reads one trace at a time; spans are buffered on disk."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether these are spans, and one has an OpenInference kind or instrumentation scope."""
        named = _NAMED in head or _SCOPE in head or _KIND.search(head) is not None
        return named and spans.holds_spans(head)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield one trajectory per session; per trace if no session is named.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        return spans.trajectories_of_spans(
            source, options, tell, conversation_attributes=("session.id",), find=spans_with_names
        )
