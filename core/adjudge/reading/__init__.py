"""What trace readers share: opening, recognising, and reading somebody's JSON without losing the place.

Plugins reach it as ``adjudge.plugin.reading``.
"""

from adjudge.formats.openai_messages import arguments_of
from adjudge.reading import spans
from adjudge.reading.blobs import blob_of, items_without_blobs, step_without_blobs, without_blobs
from adjudge.reading.losses import Losses
from adjudge.reading.numbers import with_numbers
from adjudge.reading.opening import opened
from adjudge.reading.outline import Outline, outline
from adjudge.reading.place import Place
from adjudge.reading.values import list_of, moment_of, object_of, seconds_of, text_of

__all__ = [
    "Losses",
    "Outline",
    "Place",
    "arguments_of",
    "blob_of",
    "items_without_blobs",
    "list_of",
    "moment_of",
    "object_of",
    "opened",
    "outline",
    "seconds_of",
    "spans",
    "step_without_blobs",
    "text_of",
    "with_numbers",
    "without_blobs",
]
