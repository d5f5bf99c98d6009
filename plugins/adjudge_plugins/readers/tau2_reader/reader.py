"""Reads the simulations of a file of results. Names: ``tau2.data_model`` (``Results``, ``SimulationRun``, ``message``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from adjudge.kit import logs
from adjudge.kit.openai import step_from_openai
from adjudge.kit.strict_json import is_list, is_object
from adjudge.model import JsonObject, Step
from adjudge.plugin import InputError, Problem, ReadOptions, Source, Trajectory
from adjudge_plugins.readers.dialogue import Dialogue

_SIMULATIONS: Final = "simulations"
_KEPT: Final = ("termination_reason", "trial", "seed", "agent_cost", "user_cost")
_READ: Final = frozenset(
    {"id", "task_id", "messages", "duration", "start_time", "end_time", "timestamp", *_KEPT}
)


class Tau2Reader:
    """Reads one simulation at a time; the tasks of the file are kept in memory."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether the object has simulations, or the tasks and the environment that precede them."""
        found = logs.outline(head)
        keys = set(found.keys)
        held = found.lists.get("tasks", ())
        is_told = bool({"tasks", "info"} & keys)
        return (_SIMULATIONS in keys and is_told) or ("info" in keys and "user_scenario" in held)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the simulations in the order of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        place = logs.Place(source.path.name)
        about: JsonObject = {}
        count = 0
        with logs.opened(source) as stream:
            if stream.peek() != "{":
                stream.fail("no results of tau2-bench; an object with simulations is expected.")
            for key in stream.members():
                if key == _SIMULATIONS and stream.peek() == "[":
                    for index in stream.elements():
                        here = place.key(key).at(index)
                        simulation = here.as_object(stream.value(), "a simulation")
                        count += 1
                        yield _trajectory(simulation, about, here, options)
                else:
                    about[key] = stream.value()
            if not count:
                place.fail("found no simulation", "Results of tau2-bench have a list of simulations.")


def _trajectory(
    simulation: JsonObject, about: JsonObject, place: logs.Place, options: ReadOptions
) -> Trajectory:
    losses = logs.Losses()
    environment = logs.object_of(logs.object_of(about.get("info")).get("environment_info"))
    dialogue = Dialogue(losses, instructions=logs.text_of(environment.get("policy")))
    for message, at in place.key("messages").as_objects(simulation.get("messages")):
        held = message.get("tool_messages")
        several = at.key("tool_messages").as_objects(held) if is_list(held) else [(message, at)]
        for one, here in several:
            dialogue.take(logs.step_without_blobs(_step(one, here), losses))
    invocations = dialogue.invocations(_tools(environment))
    for key in simulation:
        if key not in _READ:
            losses.add(f"{key!r} of the simulation")
    identity = logs.text_of(simulation.get("task_id"))
    tasks = {
        logs.text_of(task.get("id")): task for task in map(logs.object_of, logs.list_of(about.get("tasks")))
    }
    task = logs.object_of(tasks.get(identity))
    trial = simulation.get("trial")
    extra = {key: simulation[key] for key in _KEPT if simulation.get(key) is not None}
    if task.get("user_scenario"):
        extra["user_scenario"] = task["user_scenario"]
    duration = logs.seconds_of(simulation.get("duration"))
    session = simulation.get("id")
    return Trajectory(
        invocations=invocations,
        eval_id=(identity or logs.text_of(session))
        + (f"_trial_{trial}" if isinstance(trial, int) and trial else ""),
        task=options.task,
        session_id=session if isinstance(session, str) else None,
        duration=duration if duration is not None and duration >= 0 else None,
        source=str(place),
        extra=logs.without_blobs(extra, losses) or None,
        lost=losses.texts(),
    )


def _step(message: JsonObject, place: logs.Place) -> Step:
    told: JsonObject = {"role": message.get("role"), "content": message.get("content")}
    if calls := logs.list_of(message.get("tool_calls")):
        told["tool_calls"] = [_call(logs.object_of(call)) for call in calls]
    if message.get("role") == "tool":
        told["tool_call_id"] = message.get("id")
        if message.get("error") is True:
            told["is_error"] = True
    if is_object(message.get("usage")):
        told["usage"] = message["usage"]
    try:
        step = step_from_openai(told, path=place.path, source_ref=str(place))
    except InputError as error:
        raise InputError(
            [Problem(what=problem.what, file=place.file, path=problem.path) for problem in error.problems]
        ) from None
    return step.model_copy(update={"started_at": logs.moment_of(message.get("timestamp"))})


def _call(call: JsonObject) -> JsonObject:
    return {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("arguments")}}


def _tools(environment: JsonObject) -> Sequence[Any]:
    declared = environment.get("tool_defs")
    if is_object(declared):
        return [{"name": name, **logs.object_of(tool)} for name, tool in logs.object_of(declared).items()]
    return logs.list_of(declared)
