"""Pairs the spans of tools with the calls in model output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from adjudge.kit.logs import Losses
from adjudge.model.items import ErrorItem, Item, ToolCall, ToolResult
from adjudge_plugins.readers.spans.builders import Move
from adjudge_plugins.readers.spans.deduplication import arguments_text, result_text, same
from adjudge_plugins.readers.spans.span_records import ToolRun

_GUESSED: Final = "ids that say which call a tool's span belongs to; name{more} had to do"
_OTHER_WORDS: Final = "a tool's result in the words in which the model was shown it"


@dataclass(slots=True, eq=False)
class Asked:
    """A call in model output, with its span and its result if they are known."""

    move: Move
    call: ToolCall
    result: ToolResult | None = None
    run: Move | None = None
    """The step of the tool's span."""
    _result_text: str | None = None

    @property
    def result_text(self) -> str:
        """The result as text, for comparison."""
        if self._result_text is None:
            self._result_text = result_text(None if self.result is None else self.result.value)
        return self._result_text


@dataclass(slots=True)
class Calls:
    """The calls of a conversation. Spans are paired by id, else by name and arguments, which is reported as a loss."""

    losses: Losses
    ids: dict[str, str] = field(default_factory=dict[str, str])
    """The call ids by the ids of the tools' spans, for calls with an id."""
    _without_run: dict[tuple[str, str | None], list[Asked]] = field(
        default_factory=dict[tuple[str, str | None], list[Asked]]
    )
    """Calls without a known span, in order, by name and by name with arguments."""
    _unsorted: list[Asked] = field(default_factory=list["Asked"])
    """The latest such calls. They are indexed on demand, because pairing by id does not need the index."""
    _by_id: dict[str, Asked] = field(default_factory=dict[str, Asked])
    _waiting: list[tuple[Move, ToolRun]] = field(default_factory=list[tuple[Move, ToolRun]])

    def ask(self, move: Move) -> None:
        """Register the calls of a step."""
        for call in move.calls:
            asked = Asked(move, call)
            self._unsorted.append(asked)
            if call.id is not None:
                self._by_id.setdefault(call.id, asked)

    def shown(self, result: ToolResult) -> bool:
        """Add a result from a model's input; return whether its call is known."""
        asked = self._by_id.get(result.call_id or "")
        if asked is None:
            return False
        if asked.result is None:
            self._answer(asked, result)
        elif not same(asked.result.value, result.value):
            self.losses.add(_OTHER_WORDS)
        return True

    def ran(self, move: Move, run: ToolRun) -> bool:
        """Add a tool's span; return whether its call is known by id. If not, the span is paired later by ``settle``."""
        asked = self._by_id.get(run.call_id or "")
        if asked is None:
            self._waiting.append((move, run))
            return False
        self._join(asked, move, run, {})
        return True

    def settle(self) -> set[Move]:
        """Pair the remaining spans, and return the steps that were merged into the step of their call."""
        gone: set[Move] = set()
        for move, run in self._waiting:
            named = self._by_id.get(run.call_id or "")
            asked, flag = (named, None) if named is not None else self._guess(move, run)
            if asked is not None:
                self._join(asked, move, run, {} if flag is None else {"paired_by": flag})
                gone.add(move)
                continue
            self._stand_alone(move, run)
        self._waiting.clear()
        return gone

    def _guess(self, move: Move, run: ToolRun) -> tuple[Asked | None, str | None]:
        """The best match for a span without id, and by what it was matched; ``None`` if the result proves it."""
        if run.call_id is not None:
            return None, None
        told = run.args is not None or run.raw_args is not None
        wanted = ToolCall(name=run.name, args=run.args, raw_args=run.raw_args)
        for asked in self._unsorted:
            for known in (asked.call.name, None), (asked.call.name, arguments_text(asked.call)):
                self._without_run.setdefault(known, []).append(asked)
        self._unsorted.clear()
        key = (run.name, arguments_text(wanted) if told else None)
        waiting = [asked for asked in self._without_run.get(key, ()) if asked.run is None]
        self._without_run[key] = waiting
        named = [asked for asked in waiting if _may_answer(move, asked.move)]
        if told and run.has_result:
            gave = result_text(run.result)
            proven = (asked for asked in named if asked.result is not None and asked.result_text == gave)
            if (first := next(proven, None)) is not None:
                return first, None
        open_ones = [asked for asked in named if asked.result is None] or named
        if not open_ones:
            return None, None
        by = "name" + (" and arguments" if told else "") + (" and order" if len(open_ones) > 1 else "")
        self.losses.add(_GUESSED.format(more=by.removeprefix("name")))
        return open_ones[0], by

    def _join(self, asked: Asked, move: Move, run: ToolRun, flag: dict[str, Any]) -> None:
        asked.run = move
        if asked.call.id is not None:
            self.ids[move.span.span_id] = asked.call.id
        extra = {"span_id": move.span.span_id, **flag, **(run.extra or {})}
        if move.span.duration is not None:
            extra["duration"] = move.span.duration
        if asked.result is None and run.has_result:
            call_id = asked.call.id if not flag else None
            self._answer(asked, ToolResult(name=run.name, value=run.result, call_id=call_id, extra=extra))
        elif asked.result is not None and run.has_result and not same(asked.result.value, run.result):
            self.losses.add(_OTHER_WORDS)
        asked.move.items += [
            item.model_copy(update={"extra": {"call": asked.call.id or asked.call.name}})
            for item in move.items
            if isinstance(item, ErrorItem)
        ]

    def _stand_alone(self, move: Move, run: ToolRun) -> None:
        """Make a call from a span without a matching call: the span itself shows that the tool ran."""
        call = ToolCall(name=run.name, args=run.args, raw_args=run.raw_args, id=run.call_id, extra=run.extra)
        if call.id is not None:
            self.ids[move.span.span_id] = call.id
        items: list[Item] = [call]
        if run.has_result:
            items.append(ToolResult(name=run.name, value=run.result, call_id=run.call_id))
        move.items[:0] = items

    @staticmethod
    def _answer(asked: Asked, result: ToolResult) -> None:
        asked.result = result
        named = result if result.name else result.model_copy(update={"name": asked.call.name})
        asked.move.items.append(named)


def _may_answer(run: Move, asked: Move) -> bool:
    """Whether both are in one trace, and the call did not start after the span."""
    earlier, later = asked.span.started_at, run.span.started_at
    is_in_order = earlier is None or later is None or earlier <= later
    return is_in_order and asked.span.trace_id == run.span.trace_id
