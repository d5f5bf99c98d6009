"""What a log says of a step besides its words: where it was, which kind of tool it used, whether it failed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from adjudge.kit.trace import failure_of, is_answer
from adjudge.model.base import JsonValue
from adjudge.model.items import Observation, Opaque, ToolCall, ToolResult
from adjudge.model.step import Step

_ADDRESS: Final = re.compile(r"https?://[^\s'\"<>)\]}]+")
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_PLAN_KEYS: Final = ("current_plan_item", "plan_item", "plan_step", "plan")
_TAB_KEYS: Final = ("tab", "tab_id", "active_tab", "page_id")

_FAMILIES: Final = {
    "navigate": "back forward goto go navigate navigation open refresh reload switch tab url visit",
    "search": "browse find google grep list locate lookup query search",
    "read": "cat check extract fetch get look observe read retrieve screenshot scroll see show think view wait",
    "operate": "click drag drop enter fill focus hover input keys noop press select tap type upload",
    "change": "add book buy cancel create delete edit exchange insert modify pay remove replace return set update "
    "write",
    "run": "bash code command eval evaluate exec execute python run script shell sql test",
    "answer": "answer message msg reply report respond submit transfer",
}
_FAMILY_OF_WORD: Final = {word: family for family, words in _FAMILIES.items() for word in words.split()}


def family_of(tool: str) -> str:
    """What kind of tool a tool of this name is.

    ``navigate``, ``search``, ``read``, ``operate`` (a page or a form), ``change`` (records and files),
    ``run`` (code) or ``answer``, by the first word of the name that says so; else the name itself. What ends a run, and nothing else, is an ``answer``
    by its whole name.
    """
    if is_answer(tool):
        return "answer"
    words = [word.lower() for word in _WORDS.findall(tool)]
    return next((_FAMILY_OF_WORD[word] for word in words if word in _FAMILY_OF_WORD), tool.lower())


def families_of(step: Step) -> tuple[str, ...]:
    """The kinds of tools that a step used, each once, in order."""
    return tuple(dict.fromkeys(family_of(call.name) for call in step.calls))


def pages_of(steps: Sequence[Step]) -> list[str | None]:
    """Where every step took place, as an address; ``None`` until the log names one.

    An address that was observed counts; else one that a call went to; else the step is where the one
    before it was.
    """
    found: list[str | None] = []
    page: str | None = None
    for step in steps:
        page = _observed_page(step) or _page_gone_to(step) or page
        found.append(page)
    return found


def host_of(page: str) -> str:
    """The host of an address, without ``www.``."""
    return _split(page)[0]


def without_query(page: str) -> str:
    """Host and path of an address, without what changes from look to look."""
    host, path = _split(page)
    return f"{host}{path.rstrip('/')}"


def tab_of(step: Step) -> str | None:
    """The tab that the step took place in, where the log names it."""
    return _named(step, _TAB_KEYS)


def plan_of(step: Step) -> str | None:
    """The item of the agent's plan that the step belongs to, where the log names it."""
    return _named(step, _PLAN_KEYS)


def text_of(value: JsonValue) -> str:
    """A result as text: as it is, or as JSON in one line."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def error_of(step: Step) -> str | None:
    """What went wrong in a step: an error that the log reports, or a result that begins like one."""
    for error in step.errors:
        return error.message or error.code or "error"
    for result in step.results:
        if (message := failure_of(result)) is not None:
            return message
    return None


def reported_success(step: Step) -> bool | None:
    """Whether the agent ended the run by saying that it succeeded or failed; ``None`` where it said neither.

    It is the agent's own word (browser-use's ``done(success=...)``), and no evidence.
    """
    for call in reversed(step.calls):
        said = (call.args or {}).get("success")
        if isinstance(said, bool) and is_answer(call.name):
            return said
    return None


def _observed_page(step: Step) -> str | None:
    for item in step.items:
        if isinstance(item, Observation):
            source = item.source or ""
            if source.lower().rpartition(".")[2] == "url":
                return item.text.strip() or None
            if _ADDRESS.fullmatch(source):
                return source
    said = (step.extra or {}).get("url")
    return said if isinstance(said, str) and said else None


def _page_gone_to(step: Step) -> str | None:
    for call in reversed(step.calls):
        if family_of(call.name) == "navigate" and (found := _ADDRESS.search(_arguments(call))):
            return found[0]
    return None


def _arguments(call: ToolCall) -> str:
    return call.raw_args if call.raw_args is not None else text_of(call.args)


@lru_cache(maxsize=64)  # neighbouring steps are on few pages
def _split(page: str) -> tuple[str, str]:
    try:
        parts = urlsplit(page if "//" in page else f"//{page}")
    except ValueError:  # a bracket where none belongs: whatever it is, it names itself
        return page, ""
    return parts.netloc.lower().removeprefix("www.") or parts.scheme, parts.path


def _named(step: Step, keys: Sequence[str]) -> str | None:
    """The first of ``keys`` that the step has a value for, beside its items or among them."""
    values: dict[str, JsonValue] = dict(step.extra or {})
    for item in step.items:
        if isinstance(item, Opaque):
            values[item.name] = item.value
        elif isinstance(item, Observation) and item.source:
            values[item.source] = item.text
    return next((text_of(values[key]) for key in keys if values.get(key) not in (None, "")), None)


def shown(step: Step) -> tuple[ToolResult | Observation, ...]:
    """What came back in a step, addresses and titles aside."""
    return tuple(
        item
        for item in step.items
        if isinstance(item, ToolResult)
        or (isinstance(item, Observation) and (item.source or "").lower() not in {"url", "title", "tab"})
    )
