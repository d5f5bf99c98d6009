"""The border: what a call into a plugin returned is read again, as the class that it must be of.

A plugin can make data without validation (``model_construct``, ``model_copy``), put anything into a field
that is JSON, and keep what it returned. None of that may reach a rule, the journal or a report.
"""

from __future__ import annotations

from adjudge.errors import PluginError
from adjudge.extension.guard import Origin
from adjudge.model.base import FrozenT, told, validated_copy


def returned(origin: Origin, call: str, value: object, kind: type[FrozenT]) -> FrozenT:
    """``value`` as ``kind`` reads it from JSON; of a built-in, ``value`` itself.

    What comes out of here holds what ``kind`` promises, is what the journal gives back, and shares nothing
    with the plugin.

    Args:
        origin: Whose code returned it.
        call: What was called, for messages.
        value: What it returned.
        kind: The class of the model that it must be of.

    Raises:
        PluginError: it is of another class, or cannot be read.
    """
    if not isinstance(value, kind):
        what = f"{call} gave {type(value).__name__}, expected {kind.__name__}"
        raise PluginError(f"{what} ({origin.provenance})")
    if origin.is_built_in:
        return value
    try:
        return validated_copy(kind, value, finite=False)
    except ValueError as error:
        what = f"{call} gave a {kind.__name__} that cannot be used: {told(error)}"
        raise PluginError(f"{what} ({origin.provenance})") from error
