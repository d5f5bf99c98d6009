"""Converts the events of one run, of either version, to turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from adjudge.kit import logs
from adjudge.model import JsonObject
from adjudge.plugin import ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import Dialogue
from adjudge_plugins.readers.openhands_reader import app_events, sdk_events

Found: TypeAlias = tuple[JsonObject, logs.Place]

_NAMES: Final = ("instance_id", "eval_id", "id")
_KEPT: Final = ("instruction", "metrics", "error")
"""Keys of a row of an evaluation that are kept. Its test results are labels, which a judge must not see."""


def trajectory_of(
    row: JsonObject, key: str, events: Sequence[Found], place: logs.Place, options: ReadOptions, name: str
) -> Trajectory:
    """Convert a run to a trajectory.

    Args:
        row: The object with the events; empty if the events are not in an object.
        key: The key of the events.
        events: The events with their places.
        place: The place of the run.
        options: Supplies the task if the row has none.
        name: The ``eval_id`` if the run has none.
    """
    losses = logs.Losses()
    dialogue = Dialogue(losses)
    of_app = app_events.Events(dialogue, losses)
    of_sdk = sdk_events.Events(dialogue, losses)
    for event, at in events:
        if logs.text_of(event.get("kind")) in sdk_events.KINDS:
            of_sdk.take(event, at)
        else:
            of_app.take(event, at)
    invocations = dialogue.invocations([*of_app.tools, *of_sdk.tools])
    if logs.has_actions_in_prose(invocations):
        losses.add(logs.ACTIONS_IN_PROSE)
    for other in row:
        if other not in {key, *_NAMES, *_KEPT}:
            losses.add(f"{other!r} of the run")
    named = next((row[key] for key in _NAMES if isinstance(row.get(key), str | int)), name)
    extra = {key: row[key] for key in ("metrics", "error") if row.get(key)} | of_sdk.about
    task = row.get("instruction")
    return Trajectory(
        invocations=invocations,
        eval_id=str(named),
        task=task if isinstance(task, str) else options.task,
        source=str(place),
        extra=logs.without_blobs(extra, losses) or None,
        lost=losses.texts(),
    )
