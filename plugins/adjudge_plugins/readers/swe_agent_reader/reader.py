"""Reads a ``.traj`` file as one trajectory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from adjudge.kit import logs
from adjudge.kit.strict_json import JsonStream
from adjudge.model import AgentDetails, AppDetails, Content, Invocation, JsonObject
from adjudge.plugin import (
    ReadOptions,
    Source,
    Trajectory,
)
from adjudge_plugins.readers.swe_agent_reader import entries, messages

_LISTS: Final = ("trajectory", "history")
_OF_ANOTHER_FORMAT: Final = frozenset({"step", "thinking", "memory", "next_goal", "evaluation_previous_goal"})
_ENTRY_KEYS: Final = frozenset({"observation", "response", "thought"})
_MESSAGE_KEYS: Final = frozenset({"agent", "message_type"})


class SweAgentReader:
    """Reads one run. The prompts of every step, which are most of a file, are skipped."""

    def sniff(self, head: bytes, path: Path) -> bool:  # noqa: ARG002 - content decides
        """Whether there is a trajectory of thoughts and commands, or the history of one."""
        found = logs.outline(head)
        entry, message = (set(found.lists.get(key, ())) for key in _LISTS)
        is_entry = "action" in entry and entry & _ENTRY_KEYS and not entry & _OF_ANOTHER_FORMAT
        is_message = {"role", "content"} <= message and message & _MESSAGE_KEYS
        return found.begins_with == "{" and bool(is_entry or is_message)

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Yield the run of the file.

        Raises:
            InputError: the file is malformed or has another format; the problem names the place.
        """
        name = source.path.name
        with logs.opened(source) as stream:
            run = _Run(logs.Place(name))
            run.read(stream)
            stream.finish()
        yield run.trajectory(name.split(".")[0], options)


class _Run:
    def __init__(self, place: logs.Place) -> None:
        self._place = place
        self._lists: dict[str, messages.Messages] = {}
        self._about: JsonObject = {}
        self._losses = logs.Losses()

    def read(self, stream: JsonStream) -> None:
        for key in stream.members():
            if key not in _LISTS or stream.peek() != "[":
                self._about[key] = logs.without_blobs(stream.value(), self._losses)
                continue
            found = self._lists.setdefault(key, [])
            for index in stream.elements():
                place = self._place.key(key).at(index)
                data = place.as_object(stream.value())
                if data.pop("query", None):
                    self._losses.add("query, the prompt of a step")
                found.append((data, place))
        if not any(self._lists.values()):
            self._place.fail("found no 'trajectory' and no 'history' of SWE-agent")
        if self._about.pop("replay_config", None):
            self._losses.add("replay_config")

    def trajectory(self, name: str, options: ReadOptions) -> Trajectory:
        history = messages.without_demonstrations(self._lists.get("history", []))
        moves = self._lists.get("trajectory", [])
        steps = [
            logs.step_without_blobs(step, self._losses)
            for step in (entries.steps_of(moves, history) if moves else messages.steps_of(history))
        ]
        said = messages.user_content_of(history)
        instructions = messages.instructions_of(history)
        agent = AgentDetails(name="agent", instructions=instructions)
        task = options.task
        given = Content.of_text(task, "user") if task else Content(role="user", has_parts=False)
        submission = self._submission()
        turn = Invocation(
            user_content=given if said is None else self._light(said),
            steps=logs.with_numbers(steps, [None] * len(steps), key="step"),
            final_response=Content.of_text(submission, "model") if submission else None,
            app_details=AppDetails(agent_details={agent.name: agent}) if instructions else None,
        )
        return Trajectory(
            invocations=(turn,),
            eval_id=name,
            task=task,
            source=str(self._place),
            extra=self._about or None,
            lost=self._losses.texts(),
        )

    def _light(self, content: Content) -> Content:
        items = logs.items_without_blobs(content.items, self._losses)
        return content.model_copy(update={"items": items})

    def _submission(self) -> str:
        """The agent's submission, for instance a patch."""
        info = self._about.get("info")
        submission = cast("JsonObject", info).get("submission") if isinstance(info, dict) else None
        return submission if isinstance(submission, str) else ""
