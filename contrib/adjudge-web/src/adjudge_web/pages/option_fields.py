"""Fields for the options of a criterion, made from the JSON schema of its configuration."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from adjudge_web.pages.fields import json_field
from adjudge_web.pages.option_schema import OptionSchema

Put: TypeAlias = Callable[[Any], None]
"""Told of the new value; ``None`` is the default."""

_LEFT_OUT: Final = ("threshold", "criterion")
_STRUCTURED: Final = ("object", "map", "rows", "choice")


def option_fields(
    document: Mapping[str, Any],
    described: Sequence[Mapping[str, Any]],
    value_of: Callable[[str], Any],
    put: Callable[[str, Any], None],
) -> None:
    """Make a field for every option.

    Args:
        document: The schema of the configuration.
        described: What each option means, and its default, as ``adjudge.inventory`` says it.
        value_of: Gives what an option is now; ``None`` where it is left out.
        put: Told of the option that changed, and of its new value.
    """
    meanings = {each["name"]: each["description"] for each in described}
    defaults = {each["name"]: each["default"] for each in described}
    options = {
        name: schema.or_default(defaults.get(name))
        for name, schema in OptionSchema.of(document).properties.items()
        if name not in _LEFT_OUT
    }
    with ui.element("div").classes("ad-fields"):
        for name, schema in options.items():
            if schema.kind not in _STRUCTURED:
                _option(_in_words(name), schema, value_of(name), partial(put, name), meanings.get(name, ""))
    for name, schema in options.items():
        if schema.kind in _STRUCTURED:
            is_open = not _fits(schema, value_of(name))
            with ui.expansion(_in_words(name), value=is_open).classes("ad-card ad-option").props("dense"):
                if said := meanings.get(name) or schema.meaning:
                    ui.label(said).classes("ad-sub")
                _option(_in_words(name), schema, value_of(name), partial(put, name))


def _option(label: str, schema: OptionSchema, value: Any, put: Put, meaning: str = "") -> None:
    """The fields of a value that may be left out; JSON where they cannot show what it is now."""

    def keep(new: Any) -> None:
        put(schema.written(new))

    if _fits(schema, value):
        shown = schema.brief(schema.default) if value is None else copy.deepcopy(value)
        _fields(label, schema, shown, keep, meaning)
        return
    with ui.element("div").classes("ad-option"):
        json_field(label, schema.default if value is None else value, keep)
        _note("This value does not fit its field: here it is as JSON.")


def _fits(schema: OptionSchema, value: Any) -> bool:
    shown = schema.default if value is None else value
    return shown is None or schema.fits(shown)


def _fields(label: str, schema: OptionSchema, value: Any, keep: Put, meaning: str = "") -> None:
    """The fields of a value; ``None`` where there is none yet. ``keep`` is told ``None`` where it goes."""
    match schema.kind:
        case "object":
            _object(schema, value, keep)
        case "rows":
            _rows(label, schema, value, keep)
        case "map":
            _map(label, schema, value, keep)
        case "choice":
            _choice(label, schema, value, keep)
        case "const":
            pass  # It can have one value only.
        case "json":
            json_field(label, value, keep)
        case _:
            field = _field(label, schema, value, keep)
            if said := meaning or schema.meaning:
                field.tooltip(said)


def _object(schema: OptionSchema, value: Any, keep: Put) -> None:
    """The fields of an object. What else is in it stays."""
    held: dict[str, Any] = {**schema.constants, **(value or {})}

    def changed(name: str, new: Any) -> None:
        held[name] = new
        if new is None:
            del held[name]
        keep(dict(held))

    simple = {name: inner for name, inner in schema.properties.items() if inner.kind not in _STRUCTURED}
    if simple:
        with ui.element("div").classes("ad-fields"):
            for name, inner in simple.items():
                _option(_in_words(name), inner, held.get(name), partial(changed, name))
    for name, inner in schema.properties.items():
        if name in simple:
            continue
        if inner.kind == "object":
            _option(_in_words(name), inner, held.get(name), partial(changed, name))
            continue
        with ui.element("div").classes("ad-option"):
            ui.label(_in_words(name)).classes("ad-name")
            if inner.meaning:
                ui.label(inner.meaning).classes("ad-sub")
            _option(_in_words(name), inner, held.get(name), partial(changed, name))


def _rows(label: str, schema: OptionSchema, value: Any, keep: Put) -> None:
    """A row for each element of a list."""
    held: list[Any] = list(value or ())
    notes: list[ui.label] = []
    box = ui.element("div").classes("ad-stack")

    def tell() -> None:
        for each, note in zip(held, notes, strict=True):
            _say(note, "Left out: it has no value." if each is None else "")
        keep([each for each in held if each is not None])

    def changed(place: int, new: Any) -> None:
        held[place] = new
        tell()

    def remove(place: int) -> None:
        del held[place]
        fill()
        tell()

    def add() -> None:
        held.append(schema.inner.empty)
        fill()
        tell()

    def fill() -> None:
        box.clear()
        notes.clear()
        with box:
            for place, each in enumerate(held):
                name = f"{label} {place + 1}"
                with _row(name, partial(remove, place)):
                    _fields(name, schema.inner, each, partial(changed, place))
                    notes.append(_note())
            _adding(label, add)

    fill()


def _map(label: str, schema: OptionSchema, value: Any, keep: Put) -> None:
    """A row for each name with its value."""
    held: list[list[Any]] = [[name, each] for name, each in dict(value or {}).items()]
    notes: list[ui.label] = []
    box = ui.element("div").classes("ad-stack")

    def tell() -> None:
        names = [name for name, _ in held if name]
        for row, note in zip(held, notes, strict=True):
            _say(note, _trouble(row[0], row[1], names))
        if len(set(names)) == len(names):
            keep({name: each for name, each in held if name and each is not None})

    def changed(row: list[Any], new: Any) -> None:
        row[1] = new
        tell()

    def renamed(row: list[Any], event: ValueChangeEventArguments[str | None]) -> None:
        row[0] = event.value or ""
        tell()

    def remove(row: list[Any]) -> None:
        # By identity: another row may say the same.
        held[:] = [each for each in held if each is not row]
        fill()
        tell()

    def add() -> None:
        held.append(["", schema.inner.empty])
        fill()
        tell()

    def fill() -> None:
        box.clear()
        notes.clear()
        with box:
            for number, row in enumerate(held, 1):
                name = f"{label} {number}"
                with _row(name, partial(remove, row)):
                    field = ui.input(f"{label}: name", value=row[0], on_change=partial(renamed, row))
                    field.props("outlined dense debounce=250 hide-bottom-space")
                    inner = f"{label}: value" if schema.inner.kind not in _STRUCTURED else name
                    _fields(inner, schema.inner, row[1], partial(changed, row))
                    notes.append(_note())
            _adding(label, add)

    fill()


def _trouble(name: str, value: Any, names: list[str]) -> str:
    """Why a row of a map is not as it stands there in what is saved."""
    if not name:
        return "Left out: it has no name."
    if names.count(name) > 1:
        return "Two rows have this name: nothing changes until each has its own."
    return "Left out: it has no value." if value is None else ""


def _choice(label: str, schema: OptionSchema, value: Any, keep: Put) -> None:
    """A value that may be of several kinds: the kind, and then the field of that kind."""
    names = [choice.title for choice in schema.choices]
    at = None if value is None else schema.choice_of(value)
    field = ui.select(dict(enumerate(names)), label=f"{label}: kind", value=at).props("outlined dense")
    box = ui.element("div").classes("ad-stack")

    def fill(given: Any) -> None:
        box.clear()
        with box:
            if field.value is not None:
                _fields(label, schema.choices[int(field.value)], given, keep)

    def changed() -> None:
        empty = schema.choices[int(field.value)].empty
        keep(empty)
        fill(empty)

    fill(value)
    field.on_value_change(changed)


def _row(name: str, remove: Callable[[], None]) -> ui.element:
    """A row that can be removed; what is made inside is its content."""
    row = ui.element("div").classes("ad-option-row").props(f'role="group" aria-label="{name}"')
    with row:
        content = ui.element("div").classes("ad-stack ad-grow")
        ui.button(icon="close", on_click=remove).props(f'flat round dense aria-label="Remove {name}"')
    return content


def _note(said: str = "") -> ui.label:
    """What is wrong with the fields above it; nothing is seen of it where nothing is."""
    label = ui.label().classes("ad-sub ad-FAIL").props('role="status"')
    _say(label, said)
    return label


def _say(note: ui.label, said: str) -> None:
    note.set_text(said)
    note.set_visibility(bool(said))


def _adding(label: str, add: Callable[[], None]) -> None:
    ui.button("Add", icon="add", on_click=add).props(f'flat dense aria-label="Add to {label}"').style(
        "align-self: start"
    )


def _field(label: str, schema: OptionSchema, value: Any, keep: Put) -> ui.element:
    match schema.kind:
        case "switch":
            return ui.switch(label, value=bool(value), on_change=lambda event: keep(bool(event.value)))
        case "select":
            return ui.select(
                list(schema.enum), label=label, value=value, on_change=lambda event: keep(event.value)
            ).props("outlined dense")
        case "integer" | "number":
            return _number(label, schema, value, keep)
        case "text":
            field = ui.input(label, value=value or "", on_change=lambda event: keep(event.value or ""))
            return field.props("outlined dense debounce=250 dir=auto")
        case _:
            return ui.textarea(
                f"{label}, one a line",
                value="\n".join(value or ()),
                on_change=lambda event: keep(
                    [line for line in (event.value or "").splitlines() if line.strip()]
                ),
            ).props("outlined dense autogrow debounce=250")


def _number(label: str, schema: OptionSchema, value: Any, keep: Put) -> ui.element:
    def is_whole(said: float | None) -> bool:
        return said is None or float(said).is_integer()

    def changed(event: ValueChangeEventArguments[float | None]) -> None:
        if event.value is None or schema.kind == "number":
            keep(event.value)
        elif is_whole(event.value):
            keep(int(event.value))

    return ui.number(
        label,
        value=value,
        min=schema.lowest,
        max=schema.highest,
        step=1 if schema.kind == "integer" else None,
        on_change=changed,
        validation={"No whole number: the one before is kept.": is_whole}
        if schema.kind == "integer"
        else None,
    ).props("outlined dense hide-bottom-space")


def _in_words(name: str) -> str:
    return name.replace("_", " ")
