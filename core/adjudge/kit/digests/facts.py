"""Facts about a step: its page, the kind of its tool, whether it failed."""

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
    """The kind of a tool, by its name.

    ``navigate``, ``search``, ``read``, ``operate`` (a page or a form), ``change`` (records and files) or ``run``
    (code), by the first known word in the name; ``answer`` for the known names of tools that end a run; else the name
    itself.
    """
    if is_answer(tool):
        return "answer"
    words = [word.lower() for word in _WORDS.findall(tool)]
    return next((_FAMILY_OF_WORD[word] for word in words if word in _FAMILY_OF_WORD), tool.lower())


def families_of(step: Step) -> tuple[str, ...]:
    """The kinds of the tools that a step called, in order, without duplicates."""
    return tuple(dict.fromkeys(family_of(call.name) for call in step.calls))


def pages_of(steps: Sequence[Step]) -> list[str | None]:
    """The URL at which every step took place; ``None`` until the log contains a URL.

    It is the observed URL of the step; else the URL of a navigation call; else the URL of the step before it.
    """
    found: list[str | None] = []
    page: str | None = None
    for step in steps:
        page = observed_page_of(step) or _page_gone_to(step) or page
        found.append(page)
    return found


def host_of(page: str) -> str:
    """The host of a URL, without ``www.``."""
    return _split(page)[0]


def without_query(page: str) -> str:
    """The host and path of a URL, without its query and fragment."""
    host, path = _split(page)
    return f"{host}{path.rstrip('/')}"


def tab_of(step: Step) -> str | None:
    """The browser tab of the step, if the log contains it."""
    return _named(step, _TAB_KEYS)


def plan_of(step: Step) -> str | None:
    """The item of the agent's plan to which the step belongs, if the log contains it."""
    return _named(step, _PLAN_KEYS)


def text_of(value: JsonValue) -> str:
    """A result as a text: a text unchanged, other values as JSON in one line."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def error_of(step: Step) -> str | None:
    """The error of a step: an error in the log, or a result that is an error; ``None`` if there is none."""
    for error in step.errors:
        return error.message or error.code or "error"
    for result in step.results:
        if (message := failure_of(result)) is not None:
            return message
    return None


def reported_success(step: Step) -> bool | None:
    """Whether the agent reported success at the end of the run; ``None`` if it reported neither success nor failure.

    This is the agent's own claim (browser-use's ``done(success=...)``), and not evidence.
    """
    for call in reversed(step.calls):
        said = (call.args or {}).get("success")
        if isinstance(said, bool) and is_answer(call.name):
            return said
    return None


def observed_page_of(step: Step) -> str | None:
    """The URL that the log shows for a step; ``None`` if it shows none. A call that opens a page shows only the wish."""
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


@lru_cache(maxsize=64)  # steps near each other are on few pages
def _split(page: str) -> tuple[str, str]:
    try:
        parts = urlsplit(page if "//" in page else f"//{page}")
    except ValueError:  # an invalid URL, for instance with brackets, is used as its own host
        return page, ""
    return parts.netloc.lower().removeprefix("www.") or parts.scheme, parts.path


def _named(step: Step, keys: Sequence[str]) -> str | None:
    """The value of the first of ``keys`` that the step has, in its additional data or its items."""
    values: dict[str, JsonValue] = dict(step.extra or {})
    for item in step.items:
        if isinstance(item, Opaque):
            values[item.name] = item.value
        elif isinstance(item, Observation) and item.source:
            values[item.source] = item.text
    return next((text_of(values[key]) for key in keys if values.get(key) not in (None, "")), None)


def shown(step: Step) -> tuple[ToolResult | Observation, ...]:
    """The results and observations of a step, without URLs, titles and tabs."""
    return tuple(
        item
        for item in step.items
        if isinstance(item, ToolResult)
        or (isinstance(item, Observation) and (item.source or "").lower() not in {"url", "title", "tab"})
    )
