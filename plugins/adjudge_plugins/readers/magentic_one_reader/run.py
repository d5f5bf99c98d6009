"""Converts one run: messages whose role names the speaker and the recipient.

Names: ``autogen_magentic_one`` (``orchestrator_base``, ``utils.LogHandler``), and the data set Who&When,
whose hand-crafted runs have this format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from adjudge.kit import logs
from adjudge.model import Claim, Content, ErrorItem, Invocation, Item, JsonObject, Observation, Step, Text
from adjudge.plugin import ReadOptions, Trajectory
from adjudge_plugins.readers.dialogue import Dialogue

Found: TypeAlias = tuple[JsonObject, logs.Place]

_ROLE: Final = re.compile(r"(?P<who>\w*Orchestrator) \((?:->\s*(?P<to>[^)]+)|(?P<what>[^)]+))\)")
_USERS: Final = frozenset({"human", "user", "userproxy"})
_TERMINALS: Final = ("ComputerTerminal", "Executor")
"""Participants that execute code and do not ask a model."""
_FAILED: Final = re.compile(r"The script ran, then exited with Unix exit code: (?!0\b)(\d+)")
_PAGE: Final = re.compile(r"\n\n(?=Here is a screenshot of \[)")
"""Separates the action of ``WebSurfer`` from the page that it saw afterwards."""
_FILE: Final = re.compile(r"Address: .*\n(?:.*\n){0,3}=+\n")
"""The prefix of ``FileSurfer`` before the visible part of a file."""
_ANSWER: Final = re.compile(r"^FINAL ANSWER:[ \t]*(.*)$", re.MULTILINE)
_KEPT_NAMES: Final = ("eval_id", "task_id", "question_ID", "id")
_TASKS: Final = ("task", "question")


def is_of_the_orchestrator(role: object) -> bool:
    """Whether only the orchestrator of Magentic-One has this role."""
    return isinstance(role, str) and _ROLE.fullmatch(role) is not None


def trajectory_of(
    run: JsonObject, messages: Sequence[Found], place: logs.Place, options: ReadOptions, name: str
) -> Trajectory:
    """Convert a run to a trajectory. A step's number is the position of its message from 1.

    Only the messages and the task are kept. Data sets store answers and labels next to them, and a judge must
    not see these.

    Args:
        run: The object with the messages; empty if they are one per line.
        messages: The messages with their places.
        place: The place of the run.
        options: Supplies the task if the run has none.
        name: The ``eval_id`` if the run has none.
    """
    losses = logs.Losses()
    dialogue = Dialogue(losses, roles=options.roles)
    for number, (message, at) in enumerate(messages, 1):
        _tell(message, number, at, dialogue, losses)
    last = messages[-1][0].get("content") if messages else None
    invocations = _with_answer(dialogue.invocations(), logs.text_of(last))
    losses.add(logs.ACTIONS_IN_PROSE)
    for other in run:
        if other not in {"history", *_KEPT_NAMES, *_TASKS}:
            losses.add(f"{other!r} of the run")
    named = next((run[key] for key in _KEPT_NAMES if isinstance(run.get(key), str | int)), name)
    task = next((run[key] for key in _TASKS if isinstance(run.get(key), str)), None)
    return Trajectory(
        invocations=invocations,
        eval_id=str(named),
        task=task or options.task,
        source=str(place),
        lost=losses.texts(),
    )


def _tell(
    message: JsonObject, number: int, place: logs.Place, dialogue: Dialogue, losses: logs.Losses
) -> None:
    role = message.get("role")
    if not isinstance(role, str):
        losses.add(f"events of type {logs.text_of(message.get('type'))!r}")
        return
    words = logs.text_of(message.get("content"))
    found = _ROLE.fullmatch(role)
    author, kind, extra = role, "participant", None
    items: list[Item] = [Text(text=words)]
    if role.casefold() in _USERS:
        author, kind = "user", "user"
    elif found is not None and found["to"]:
        author, kind, extra = found["who"], "delegation", {"to": found["to"].strip()}
    elif found is not None and found["what"] == "thought":
        author, kind = found["who"], "thought"
        items = [Claim(text=words)]
    elif found is not None:
        author, kind = found["who"], "end"
        items = [Observation(text=words, source=found["what"])]
    elif role.startswith(_TERMINALS):
        failed = _FAILED.match(words)
        items = [
            ErrorItem(message=words, code=failed[1])
            if failed
            else Observation(text=words, source="execution")
        ]
        kind = "execution"
    else:
        items = _done_and_seen(words)
    step = Step(
        number=number,
        items=tuple(items),
        author=author,
        role=kind,
        source_ref=str(place),
        started_at=logs.moment_of(message.get("at")),
        extra=extra,
    )
    dialogue.take(logs.step_without_blobs(step, losses), role)


def _done_and_seen(words: str) -> list[Item]:
    """The claimed actions and the observations of a participant, if its message separates them."""
    if _FILE.match(words):
        return [Observation(text=words, source="file")]
    done, *seen = _PAGE.split(words, maxsplit=1)
    return [Text(text=done), *(Observation(text=page, source="page") for page in seen)]


def _with_answer(turns: tuple[Invocation, ...], words: str) -> tuple[Invocation, ...]:
    """Set the final response of the last turn to the text that the program printed at the end."""
    answer = _ANSWER.search(words)
    if not turns or answer is None or not answer[1].strip():
        return turns
    final = Content.of_text(answer[1].strip(), "model")
    return (*turns[:-1], turns[-1].model_copy(update={"final_response": final}))
