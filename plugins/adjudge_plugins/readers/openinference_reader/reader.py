"""Reads spans that follow the OpenInference conventions."""

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
"""A kind beside the attributes, as Phoenix and others export spans."""


class OpenInferenceReader:
    """Reads one trace at a time; the spans of a file wait on disk."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether these are spans, and one of them names its kind or an instrumentation of OpenInference."""
        named = _NAMED in head or _SCOPE in head or _KIND.search(head) is not None
        return named and spans.holds_spans(head)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """One trajectory a session, or a trace where none is named.

        Raises:
            InputError: the file is broken or holds something else; the problem names the place.
        """
        return spans.trajectories_of_spans(
            source, options, tell, conversation_attributes=("session.id",), find=spans_with_names
        )
