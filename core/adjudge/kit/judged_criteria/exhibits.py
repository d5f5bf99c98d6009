"""Exhibits: the texts and actions of a user, an agent and its tools, as shown to a judge.

Lists of moves are JSON with one object per line, so that no text can imitate another line. An agent's thoughts
(``Claim``) are never shown: they are what the agent believes, not what happened. An exhibit without content has an
empty text; ``not_blank`` leaves such exhibits out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from adjudge.kit.judged_criteria.moves import moves_of
from adjudge.model.base import JsonObject
from adjudge.model.invocation import AgentDetails, Invocation
from adjudge.model.items import Blob, Content, Text
from adjudge.model.judging import Exhibit


def user_prompt(turn: Invocation) -> Exhibit:
    """``user prompt``: the user's message of a turn."""
    return Exhibit(name="user prompt", text=said(turn.user_content))


def agent_response(turn: Invocation, *, with_intermediate: bool = False) -> Exhibit:
    """``agent response``: the final answer of a turn."""
    return Exhibit(name="agent response", text=answer(turn, with_intermediate=with_intermediate))


def reference_response(turn: Invocation, *, with_intermediate: bool = False) -> Exhibit:
    """``reference response``: the answer of an expected turn."""
    return Exhibit(name="reference response", text=answer(turn, with_intermediate=with_intermediate))


def agent_moves(turn: Invocation) -> Exhibit:
    """``agent moves``: the calls with their responses, and the texts before the final answer, in order."""
    return Exhibit(name="agent moves", text=_lines(moves_of(turn)))


def agent_instructions(*turns: Invocation) -> Exhibit:
    """``agent instructions``: the instructions of all agents, without repetitions."""
    found = [
        {"agent": agent.name, "instructions": agent.instructions}
        for agent in _agents(turns)
        if agent.instructions.strip()
    ]
    return Exhibit(name="agent instructions", text=_lines(_distinct(found)))


def tool_declarations(*turns: Invocation) -> Exhibit:
    """``tool declarations``: the tools of all agents, without repetitions."""
    found = [
        {"agent": agent.name, "tool": tool} for agent in _agents(turns) for tool in agent.tool_declarations
    ]
    return Exhibit(name="tool declarations", text=_lines(_distinct(found)))


def conversation(turns: Sequence[Invocation]) -> Exhibit:
    """``conversation``: all turns, each with the user's message, the agent's moves and its answer."""
    return Exhibit(name="conversation", text=_lines(_transcript(turns)))


def earlier_turns(turns: Sequence[Invocation]) -> Exhibit:
    """``earlier turns``: the turns before the judged one, in the format of ``conversation``."""
    return Exhibit(name="earlier turns", text=_lines(_transcript(turns)))


def not_blank(*exhibits: Exhibit) -> tuple[Exhibit, ...]:
    """The exhibits with a non-blank text."""
    return tuple(exhibit for exhibit in exhibits if exhibit.text.strip())


def answer(turn: Invocation, *, with_intermediate: bool = False) -> str:
    """The final answer of a turn; with ``with_intermediate``, an option of ADK, also the texts before it."""
    texts = [text for _, text in turn.intermediate_texts] if with_intermediate else []
    if turn.final_response is not None:
        texts.append(said(turn.final_response))
    return "\n".join(texts)


def said(content: Content) -> str:
    """The texts of a message, with a placeholder for every attachment, which a judge cannot see."""
    words = [
        item.text if isinstance(item, Text) else f"[attachment: {item.mime_type or 'of unknown type'}]"
        for item in content.items
        if isinstance(item, Text | Blob)
    ]
    return "\n".join(words)


def _agents(turns: Iterable[Invocation]) -> Iterable[AgentDetails]:
    for turn in turns:
        if turn.app_details is not None:
            yield from turn.app_details.agent_details.values()


def _transcript(turns: Sequence[Invocation]) -> Iterable[JsonObject]:
    for number, turn in enumerate(turns, start=1):
        yield {"turn": number, "user": said(turn.user_content)}
        for move in moves_of(turn):
            yield {"turn": number, **move}
        answered = turn.final_response
        yield {"turn": number, "answer": None if answered is None else said(answered)}


def _distinct(found: Iterable[JsonObject]) -> Iterable[JsonObject]:
    return {_line(item): item for item in found}.values()


def _lines(found: Iterable[JsonObject]) -> str:
    return "\n".join(map(_line, found))


def _line(found: JsonObject) -> str:
    return json.dumps(found, ensure_ascii=False, default=str)
