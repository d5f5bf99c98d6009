"""Converts the spans of one conversation to turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from adjudge.kit.logs import Losses
from adjudge.model.base import JsonValue
from adjudge.model.invocation import AgentDetails, AppDetails, Invocation
from adjudge.model.items import Claim, Content, ErrorItem, Item, Observation, Opaque, Text, ToolResult
from adjudge_plugins.readers.spans.builders import Move, Turn, words
from adjudge_plugins.readers.spans.deduplication import Seen
from adjudge_plugins.readers.spans.nesting import agents_of, inner_calls, joined
from adjudge_plugins.readers.spans.pairing import Calls
from adjudge_plugins.readers.spans.span import Span
from adjudge_plugins.readers.spans.span_records import AgentRun, Message, ModelCall, Noted, Told, ToolRun

_AGENT_ROLES: Final = frozenset({"assistant", "model"})
_INSTRUCTIONS: Final = frozenset({"system", "developer"})
_TOOL_ROLES: Final = frozenset({"tool", "function"})
_UNNAMED: Final = "agent"


class Conversation:
    """Collects the traces of a conversation, in order of time.

    The agent of a trace's first model call talks to the user; so does every agent whose input is the user's
    message. The others are sub-agents: their texts are steps, and never the final response.
    """

    def __init__(self, losses: Losses) -> None:
        """Start with no turns."""
        self.agent: str | None = None
        """The agent that was called first."""
        self._losses = losses
        self._turns: list[Turn] = []
        self._turn: Turn | None = None
        self._trace_id = ""
        self._asked: set[str] = set()
        """The user's messages to the agents of the trace, according to the outer spans."""
        self._first: str | None = None
        self._seen: dict[str | None, Seen] = {}
        self._calls = Calls(losses)
        self._instructions: dict[str, str] = {}
        self._tools: dict[str, tuple[JsonValue, ...]] = {}

    def take(
        self, trace_id: str, found: Iterable[tuple[Span, Span]], tell: Callable[[Span], Told | None]
    ) -> None:
        """Add one trace.

        Args:
            trace_id: Its id.
            found: Its spans in order, each without its content and with it.
            tell: Converts a span with its content.
        """
        heard = [(span, tell(whole)) for span, whole in found]
        spans = [span for span, _ in heard]
        told = joined(spans, [(span, what) for span, what in heard if what is not None])
        agents = agents_of(spans, told)
        holders = {span.parent_id for span, _ in told}
        calls = [(span, what) for span, what in told if isinstance(what, ModelCall)]
        asking = _outer(spans, [span for span, _ in calls])
        last: Move | None = None
        self._turn = None
        self._trace_id = trace_id
        given = (message for _, what in told if isinstance(what, AgentRun) for message in what.inputs)
        self._asked = {words(message.items) for message in given if message.role == "user"} - {""}
        self._first = (calls[0][1].agent or agents[calls[0][0].span_id]) if calls else None
        self.agent = self.agent or self._first
        for span, what in told:
            author = agents[span.span_id]
            match what:
                case ModelCall():
                    self._take_call(span, what, what.agent or author)
                case ToolRun():
                    self._take_run(span, what, author)
                case Noted():
                    self._add(Move(span, [*what.items, *_errors(span)], author))
                case AgentRun():
                    self._describe(what.instructions, what.tools, what.name or _UNNAMED)
                    if what.said and span.span_id not in asking:
                        last = self._take_said(span, what, author) or last
                    elif span.span_id not in holders and span is not told[0][0]:
                        self._take_empty(span, what)
        if last is not None:
            self._add(last)
        self._drop(self._calls.settle())
        self._nest(spans)
        self._fill([(span, what) for span, what in told if isinstance(what, AgentRun)])

    def invocations(self) -> Iterator[Invocation]:
        """Build the turns, with steps numbered from 1."""
        names = [*self._instructions, *(name for name in self._tools if name not in self._instructions)]
        details = AppDetails(
            agent_details={
                name: AgentDetails(
                    name=name,
                    instructions=self._instructions.get(name, ""),
                    tool_declarations=self._tools.get(name, ()),
                )
                for name in names
            }
        )
        number = 1
        for turn in self._turns:
            yield turn.invocation(number, details if names else None)
            number += len(turn.moves)

    # --- one span ---------------------------------------------------------------------

    def _take_call(self, span: Span, call: ModelCall, author: str | None) -> None:
        systems = [words(message.items) for message in call.inputs if message.role in _INSTRUCTIONS]
        spoken = [message for message in call.inputs if message.role not in _INSTRUCTIONS]
        of_framework = self._before_the_user(spoken)
        systems += [words(message.items) for message in spoken[:of_framework]]
        spoken = spoken[of_framework:]
        instructions = "\n".join(text for text in (call.instructions, *systems) if text)
        self._describe(instructions, call.tools, author or _UNNAMED)
        is_main = author == self._first or self._is_given_the_words_of_the_user(spoken)
        seen = self._seen.setdefault(None if is_main else author, Seen())
        for message in seen.new(spoken):
            self._take_input(span, message, author, is_main)
        if is_main and self._turn is None:  # a new trace: the same message sent again is a new message
            again = _last_words(spoken)
            self._open(again)
            seen.add([Message("user", tuple(again))])
        items = [item for message in call.outputs for item in message.items]
        seen.add(call.outputs)
        move = Move(
            span,
            items + list(_errors(span)),
            author,
            role="assistant",
            model=call.model,
            usage=call.usage,
            extra=dict(call.extra or {}),
            is_answer=is_main,
        )
        self._add(move)
        self._calls.ask(move)

    def _take_input(self, span: Span, message: Message, author: str | None, is_main: bool) -> None:
        results = [item for item in message.items if isinstance(item, ToolResult)]
        strangers = [item for item in results if not self._calls.shown(item)]
        rest: list[Item] = [item for item in message.items if not isinstance(item, ToolResult)]
        if not is_main:
            return  # a sub-agent's input is already known from the call of another agent
        came_back: list[Item] = [*strangers]
        if rest and message.role in _AGENT_ROLES:
            self._remember(span, rest, author)
        elif message.role in _TOOL_ROLES:  # in a tool's role nothing is a user's message, whatever its form
            came_back += (
                Observation(text=item.text, source=message.role) if isinstance(item, Text) else item
                for item in rest
            )
        elif rest:
            self._open(rest)
        if came_back:
            self._add(Move(span, came_back, author, path=" (input)"))

    def _remember(self, span: Span, items: list[Item], author: str | None) -> None:
        """Add an earlier message of the agent that was not recorded as the output of a call."""
        last = self._turn.moves[-1] if self._turn is not None and self._turn.moves else None
        if last is not None and last.role == "assistant" and not last.items and last.author == author:
            last.items += items
            self._calls.ask(last)
            return
        move = Move(span, items, author, role="assistant", is_answer=True, path=" (input)")
        self._add(move)
        self._calls.ask(move)

    def _take_run(self, span: Span, run: ToolRun, author: str | None) -> None:
        move = Move(span, list(_errors(span)), author)
        if not self._calls.ran(move, run):
            self._add(move)

    def _take_said(self, span: Span, run: AgentRun, author: str | None) -> Move | None:
        """Add the messages in an agent's span as steps, but return the last one: it follows everything inside."""
        moves: list[Move] = []
        for index, message in enumerate(run.said):
            if moves and all(isinstance(item, Claim) for item in moves[-1].items):
                moves[-1].items += message.items  # thoughts belong to the message that follows
                continue
            path = f" (message {index + 1})"
            items = list(message.items)
            moves.append(
                Move(span, items, author, role="assistant", model=run.model, is_answer=True, path=path)
            )
        moves[-1].usage = run.usage
        for move in moves:
            self._calls.ask(move)
        last = moves.pop() if not moves[-1].calls else None
        for move in moves:
            self._add(move)
        return last

    def _take_empty(self, span: Span, run: AgentRun) -> None:
        """Add an agent's span without known spans inside: its output is all that is recorded."""
        items: list[Item] = [item for message in run.outputs for item in message.items]
        if not items and run.whole is not None:
            items = [Opaque(name="agent", value=run.whole)]
        if run.name is not None and items:
            self._add(Move(span, [*items, *_errors(span)], run.name))
        elif run.whole is not None:
            self._losses.add("what chains without a model call took in and gave out")

    # --- turns ------------------------------------------------------------------------

    def _open(self, said: list[Item]) -> None:
        """Add a user's message: to the current turn while it has no answer, else to a new turn."""
        turn = self._turn
        if turn is None or (turn.said and turn.moves):
            turn = self._begin()
        turn.said += said

    def _begin(self) -> Turn:
        self._turn = Turn(self._trace_id)
        self._turns.append(self._turn)
        return self._turn

    def _add(self, move: Move) -> None:
        (self._turn or self._begin()).moves.append(move)

    def _drop(self, gone: set[Move]) -> None:
        for turn in self._turns:
            turn.moves = [move for move in turn.moves if move not in gone]

    def _nest(self, spans: Sequence[Span]) -> None:
        """Set the enclosing call of steps inside a tool's span, for instance of an agent called as a tool."""
        calls = inner_calls(spans, self._calls.ids)
        for turn in self._turns:
            if turn.trace_id == self._trace_id:
                for move in turn.moves:
                    move.inside = calls.get(move.span.span_id, move.inside)

    def _before_the_user(self, messages: Sequence[Message]) -> int:
        """The number of messages in the role ``user`` before the actual user's message in the outer spans.

        Some frameworks also send instructions to a model in that role.
        """
        for at, message in enumerate(messages):
            if message.role != "user":
                break
            if words(message.items) in self._asked:
                return at
        return 0

    def _is_given_the_words_of_the_user(self, messages: Sequence[Message]) -> bool:
        asked = words(self._turn.said) if self._turn is not None else ""
        return bool(asked) and any(
            message.role == "user" and words(message.items) == asked for message in messages
        )

    def _fill(self, runs: Sequence[tuple[Span, AgentRun]]) -> None:
        """Add what only the outer spans have: the user's message, the answer, an error."""
        turn = self._turn or (self._begin() if runs else None)
        if turn is None:
            return
        outer = [run for at, (_, run) in enumerate(runs) if at == 0 or (run.name and run.name == self._first)]
        if not turn.said and sum(other.trace_id == self._trace_id for other in self._turns) == 1:
            asked = next((run.inputs for run in outer if run.inputs), ())
            turn.said += [item for message in asked if message.role == "user" for item in message.items]
        answered = next((run.outputs for run in outer if run.outputs), ())
        said = [item for message in answered for item in message.items if isinstance(item, Text)]
        turn.answer = Content(role="model", items=tuple(said)) if said else None
        if not any(isinstance(item, ErrorItem) for move in turn.moves for item in move.items):
            failed = next((span for span, _ in reversed(runs) if span.error is not None), None)
            if failed is not None:
                self._add(Move(failed, list(_errors(failed)), self._first))

    def _describe(self, instructions: str, tools: Sequence[JsonValue], name: str) -> None:
        if instructions and self._instructions.setdefault(name, instructions) != instructions:
            self._losses.add(f"instructions of {name} that differ from its first ones")
        if tools:
            known = self._tools.get(name, ())
            self._tools[name] = (*known, *(tool for tool in tools if tool not in known))


def _outer(spans: Sequence[Span], inner: Sequence[Span]) -> set[str]:
    """The ids of all ancestors of the ``inner`` spans."""
    parents = {span.span_id: span.parent_id for span in spans}
    found: set[str] = set()
    for span in inner:
        at = span.parent_id
        while at is not None and at not in found:
            found.add(at)
            at = parents.get(at)
    return found


def _last_words(messages: Sequence[Message]) -> list[Item]:
    last = next((message for message in reversed(messages) if message.role == "user"), None)
    return [item for item in last.items if not isinstance(item, ToolResult)] if last is not None else []


def _errors(span: Span) -> Iterator[Item]:
    if span.error is not None:
        yield span.error
