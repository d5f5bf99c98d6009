"""One run: messages whose role says who speaks, and to whom.

Names: ``autogen_magentic_one`` (``orchestrator_base``, ``utils.LogHandler``), and Who&When, whose hand-crafted runs are these.
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
"""Participants that run code, and are no models."""
_FAILED: Final = re.compile(r"The script ran, then exited with Unix exit code: (?!0\b)(\d+)")
_PAGE: Final = re.compile(r"\n\n(?=Here is a screenshot of \[)")
"""Between what ``WebSurfer`` did and the page that it saw then."""
_FILE: Final = re.compile(r"Address: .*\n(?:.*\n){0,3}=+\n")
"""What ``FileSurfer`` puts before what it sees of a file."""
_ANSWER: Final = re.compile(r"^FINAL ANSWER:[ \t]*(.*)$", re.MULTILINE)
_KEPT_NAMES: Final = ("eval_id", "task_id", "question_ID", "id")
_TASKS: Final = ("task", "question")


def is_of_the_orchestrator(role: object) -> bool:
    """Whether a role is one that only Magentic-One's orchestrator has."""
    return isinstance(role, str) and _ROLE.fullmatch(role) is not None


def trajectory_of(
    run: JsonObject, messages: Sequence[Found], place: logs.Place, options: ReadOptions, name: str
) -> Trajectory:
    """A run as a trajectory. A step's number is the position of its message from 1.

    What is neither the messages nor the task is not kept: data sets write answers and labels beside them, which
    nobody who judges the run may see.

    Args:
        run: The object that holds the messages; empty where they stand one a line.
        messages: Each with its place.
        place: Where the run stands.
        options: Gives the task where the run names none.
        name: The ``eval_id`` of a run that has none.
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
    """What a participant says it did, and what it saw, where its message has both apart."""
    if _FILE.match(words):
        return [Observation(text=words, source="file")]
    done, *seen = _PAGE.split(words, maxsplit=1)
    return [Text(text=done), *(Observation(text=page, source="page") for page in seen)]


def _with_answer(turns: tuple[Invocation, ...], words: str) -> tuple[Invocation, ...]:
    """The turns; the last one answered with what the program printed at the end, whoever's message that is in."""
    answer = _ANSWER.search(words)
    if not turns or answer is None or not answer[1].strip():
        return turns
    final = Content.of_text(answer[1].strip(), "model")
    return (*turns[:-1], turns[-1].model_copy(update={"final_response": final}))
