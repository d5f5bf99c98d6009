"""Fields for the values of a case: texts, arguments with their types, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

_TYPES: Final = ("text", "number", "yes/no", "JSON")


def text_field(label: str, value: Any, put: Callable[[Any], None], *, long: bool = False) -> None:
    """A field for a text; ``put`` is told of every change, after a moment without typing."""
    make = ui.textarea if long else ui.input
    field = make(
        label, value="" if value is None else str(value), on_change=lambda event: put(event.value or "")
    )
    field.props("outlined dense debounce=250 dir=auto").style("width: 100%")
    if long:
        field.props("autogrow")


def json_field(label: str, value: Any, put: Callable[[Any], None]) -> None:
    """A field for any JSON; nothing is put while it is none. Empty takes it out."""
    field = ui.textarea(
        f"{label} (JSON)",
        value="" if value is None else json.dumps(value, indent=2, ensure_ascii=False),
        validation={"This is no JSON.": is_json},
    )

    def changed() -> None:
        if is_json(field.value):
            put(json.loads(field.value) if field.value else None)

    field.on_value_change(changed)
    field.props("outlined dense autogrow hide-bottom-space debounce=250").classes("ad-mono").style(
        "width: 100%"
    )


def unsound(inside: ui.element) -> str | None:
    """What is wrong with the first field whose content cannot be taken; what it shows is not where it should be."""
    for element in inside.descendants():
        if not isinstance(element, ValidationElement):
            continue
        field = cast("ValidationElement[object]", element)
        if field.error:
            props = cast("Mapping[str, object]", field.props)
            return f"{props.get('label', 'A field')}: {field.error}"
    return None


def is_json(content: str | None) -> bool:
    """Whether a text is JSON, or empty."""
    try:
        # Python reads NaN and Infinity too, which no JSON file may hold.
        json.dumps(json.loads(content or "null"), allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


def arguments_field(arguments: Mapping[str, Any], put: Callable[[Any], None]) -> None:
    """A row for each argument: its name, its type, its value."""
    rows: list[list[Any]] = [[name, value] for name, value in arguments.items()]
    box = ui.element("div").classes("ad-stack").style("gap: 6px")

    def tell() -> None:
        put({str(name): value for name, value in rows if name})

    def remove(row: list[Any]) -> None:
        rows.remove(row)
        tell()
        fill()

    def add() -> None:
        rows.append(["", ""])
        fill()

    def fill() -> None:
        box.clear()
        with box:
            for row in rows:
                _argument(row, tell, partial(remove, row))
            ui.button("Argument", icon="add", on_click=add).props("flat dense").style("align-self: start")

    fill()


def _argument(row: list[Any], tell: Callable[[], None], remove: Callable[[], None]) -> None:
    with ui.element("div").classes("ad-argument"):

        def named(event: Any) -> None:
            row[0] = event.value or ""
            tell()

        ui.input("Argument", value=row[0], on_change=named).props("outlined dense debounce=250")
        kind = ui.select(list(_TYPES), label="Type", value=_type_of(row[1])).props(
            "outlined dense options-dense"
        )
        place = ui.element("div")

        def valued(value: Any) -> None:
            row[1] = value
            tell()

        def fill() -> None:
            place.clear()
            with place:
                _value(str(kind.value), row[1], valued)

        def retyped() -> None:
            row[1] = _as(str(kind.value), row[1])
            tell()
            fill()

        kind.on_value_change(retyped)
        fill()
        ui.button(icon="close", on_click=remove).props('flat round dense aria-label="Delete the argument"')


def _value(kind: str, value: Any, put: Callable[[Any], None]) -> None:
    if kind == "yes/no":
        ui.switch("", value=bool(value), on_change=lambda event: put(bool(event.value))).props(
            'aria-label="Value"'
        )
    elif kind == "number":
        whole = isinstance(value, int)

        def numbered(event: Any) -> None:
            found = event.value
            if found is not None:
                put(int(found) if whole and float(found).is_integer() else float(found))

        field = ui.number(
            "Value",
            value=value,
            on_change=numbered,
            validation={"This is no number.": lambda found: found is not None},
        )
        field.props("outlined dense hide-bottom-space debounce=250").style("width: 100%")
    elif kind == "JSON":
        json_field("Value", value, put)
    else:
        text_field("Value", value, put)


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "yes/no"
    if isinstance(value, int | float):
        return "number"
    return "text" if isinstance(value, str) else "JSON"


def _as(kind: str, value: Any) -> Any:
    """The value in another type, as near as that goes."""
    match kind:
        case "yes/no":
            return value in (True, 1, "true", "True", "yes", "1")
        case "number":
            try:
                number = float(value)
            except (TypeError, ValueError):
                return 0
            return int(number) if number.is_integer() else number
        case "JSON":
            return value
        case _:
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Slider(ui.slider):
    """A slider whose value the browser keeps: the server hears of it, and never sets it back to one before.

    Otherwise the next of quick presses of a key starts where the last that the server has answered ended.
    """

    LOOPBACK = False

    def __init__(self, *, low: float, high: float, step: float, value: float) -> None:
        """A slider from ``low`` to ``high``."""
        super().__init__(min=low, max=high, step=step, value=value)
        # The framework's own handler keeps the arguments of the event: a list.
        self.on("update:model-value", js_handler="(value) => { element.props['model-value'] = value; }")
