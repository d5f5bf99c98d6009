"""What all pages have in common: the navigation, how states look, and how texts of others are shown."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, Generic, TypeVar
from urllib.parse import quote, urlencode

from nicegui import ui

from adjudge.kit.render import clean
from adjudge.plugin import AdjudgeError, InputError

RowT = TypeVar("RowT")

_PLACES: Final = (
    ("/", "Eval sets"),
    ("/agents", "Agents"),
    ("/runs", "Runs"),
    ("/judge", "AI Judge"),
    ("/plugins", "Plugins"),
)
PATIENCE: Final = 60.0
"""Seconds that a page may take to be made, on a machine that is busy."""

PER_PAGE: Final = 50
"""Rows of a list that are made at a time."""

_VERDICTS: Final = ("PASS", "FAIL", "UNSURE", "error")


def address(place: str, **parameters: str) -> str:
    """The address of a place; parameters may be any text."""
    given = {name: value for name, value in parameters.items() if value}
    return f"{place}?{urlencode(given)}" if given else place


def run_address(name: str, **parameters: str) -> str:
    """The address of a run; a journal that somebody put among the runs may have any name."""
    return address(f"/runs/{quote(name, safe='')}", **parameters)


@contextmanager
def link_row(target: str) -> Generator[None]:
    """A row of a list that leads somewhere."""
    with (
        ui.element("div").classes("ad-item").props('role="listitem"'),
        ui.link(target=target).classes("ad-row"),
    ):
        yield


@contextmanager
def frame(title: str, place: str, *, look: str = "") -> Generator[None]:
    """A page with its navigation; what is made inside is its content.

    Args:
        title: What the page is about.
        place: The place in the navigation that it belongs to.
        look: Further classes of the content.
    """
    ui.page_title(f"{clean(title)} · adjudge")
    ui.add_head_html(
        '<link rel="stylesheet" href="/adjudge-web/page.css"><script src="/adjudge-web/page.js"></script>'
    )
    ui.colors(primary="var(--ad-accent)")
    with ui.element("header").classes("ad-top"):
        with ui.element("a").props('href="#content"').classes("ad-skip"):
            ui.label("To the content")
        with ui.link(target="/").classes("ad-brand"):
            ui.element("img").props('src="/adjudge-web/icon.svg" alt=""')
            ui.label("adjudge")
        with ui.element("nav").classes("ad-nav").props('aria-label="Places"'):
            for target, name in _PLACES:
                link = ui.link(name, target)
                if target == place:
                    link.props('aria-current="page"')
        ui.button(icon="contrast").props('flat round dense aria-label="Light or dark"').on(
            "click", js_handler="() => adjudgeTheme()"
        )
        ui.button(icon="keyboard").props('flat round dense aria-label="Keys"').classes("ad-hide-narrow").on(
            "click", js_handler="() => document.dispatchEvent(new KeyboardEvent('keydown', {key: '?'}))"
        )
    # The framework's own element around it is the landmark.
    # What is typed or pressed before the server listens would be lost: page.js enables it then.
    main = ui.element("fieldset").classes("ad-main").props('id="content" tabindex="-1" disabled')
    if look:
        main.classes(look)
    with main:
        try:
            yield
        except AdjudgeError as error:
            if look:
                main.classes(remove=look)
            heading(title)
            problem(error)
            if place in dict(_PLACES):
                ui.link(f"‹ {dict(_PLACES)[place]}", place)


async def loading(what: str) -> None:
    """Show the page as far as it is, and that the rest takes a moment."""
    note = ui.label(what).classes("ad-sub").props('role="status"')
    await until_seen()
    note.delete()


async def until_seen() -> None:
    """Let the browser have the page as far as it is."""
    with suppress(TimeoutError):  # nobody looks: the rest is made all the same
        await ui.context.client.connected()


def heading(text: str, *, sub: str = "", level: int = 1) -> None:
    """A heading, and what is said below it."""
    with ui.element("div"):
        with ui.element(f"h{level}").classes("ad-title").props('dir="auto"'):
            ui.label(clean(text))
        if sub:
            ui.label(clean(sub)).classes("ad-sub").props('dir="auto"')


def text(content: str, *, mono: bool = False) -> ui.label:
    """A text of somebody else's, in the direction that it has: shown, whatever is in it, without what turns or hides text."""
    return ui.label(clean(content)).classes("ad-mono" if mono else "ad-text").props('dir="auto"')


def named(names: Sequence[str], most: int = 8) -> str:
    """Names in a line, and how many there are beyond the first."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def chip(content: str) -> ui.label:
    """A short fact."""
    return ui.label(content).classes("ad-chip")


def status(name: str) -> ui.label:
    """A verdict or a state, in its colour and in words."""
    return ui.label(name).classes(f"ad-status ad-{name if name in _VERDICTS else 'other'}")


def problem(error: AdjudgeError | str, *, hint: str = "", warning: bool = False) -> None:
    """What is wrong, and what to do about it."""
    found = [str(each) for each in error.problems] if isinstance(error, InputError) else [str(error)]
    with ui.element("div").classes("ad-problem").props('role="alert"') as box:
        if warning:
            box.classes("ad-warning")
        for each in found:
            text(each)
        if hint:
            ui.label(hint).classes("ad-sub")


def empty(what: str, how: str) -> None:
    """Nothing is here yet, and how to change that."""
    with ui.element("div").classes("ad-list"), ui.element("div").classes("ad-empty"):
        ui.label(what).classes("ad-name")
        ui.label(how)


def told(error: AdjudgeError | OSError) -> None:
    """Say in passing what went wrong."""
    ui.notify(str(error), type="negative", multi_line=True, close_button="OK", timeout=0)


def bar(counts: dict[str, int], total: int | None) -> None:
    """How many of all are what, as a bar; in words for who cannot see it."""
    said = ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "nothing yet"
    with ui.element("div").classes("ad-bar").props(f'role="img" aria-label="{said}"'):
        whole = max(total or 0, sum(counts.values()), 1)
        for name in (*_VERDICTS, *(name for name in counts if name not in _VERDICTS)):
            if number := counts.get(name, 0):
                kind = name if name in _VERDICTS else "other"
                ui.element("div").classes(f"ad-bg-{kind}").style(f"width: {100 * number / whole:.3f}%")


class Paged(Generic[RowT]):
    """A list of any length, of which one page is made at a time; with a search over all of it."""

    def __init__(
        self,
        rows: Sequence[RowT],
        show: Callable[[RowT], None],
        words: Callable[[RowT], str],
        *,
        noun: str,
        is_whole: bool = True,
    ) -> None:
        """Make the list.

        Args:
            rows: All rows.
            show: Makes one row.
            words: What the search looks at.
            noun: What the rows are, for the search field: "cases".
            is_whole: Whether these are all rows; otherwise ``complete`` is called with all of them.
        """
        self._rows = rows
        self._show = show
        self._words = words
        self._noun = noun
        self._is_whole = is_whole
        self._first = 0
        self._shown: Sequence[RowT] = ()
        self._sought = ""
        self.actions = ui.element("div").classes("ad-actions")
        """What stands beside the search."""
        with self.actions:
            field = ui.input(placeholder=f"Search {noun}", on_change=self._seek)
            field.props(f'outlined dense clearable debounce=150 data-key="/" aria-label="Search {noun}"')
            field.style("flex: 1 1 240px; max-width: 420px")
            self._count = ui.label().classes("ad-sub").props('aria-live="polite"')
        self._list = ui.element("div").classes("ad-list").props('role="list"')
        with ui.element("div").classes("ad-actions") as self._turning:
            back = ui.button("Previous", icon="chevron_left", on_click=lambda: self._turn(-PER_PAGE))
            on = ui.button("Next", icon="chevron_right", on_click=lambda: self._turn(PER_PAGE))
            back.props('flat dense data-key="["')
            on.props('flat dense data-key="]"')
        self._fill()

    def replace(self, rows: Sequence[RowT]) -> None:
        """Show other rows."""
        self._rows = rows
        self._fill()

    def complete(self, rows: Sequence[RowT]) -> None:
        """Show all rows, of which the first are there. What is seen, and stays, is not made again."""
        self._rows = rows
        self._is_whole = True
        self._fill(is_more=True)

    def again(self) -> None:
        """Make the rows that are seen again."""
        self._make(self._shown)

    @property
    def found(self) -> list[RowT]:
        """The rows that the search leaves."""
        return [row for row in self._rows if self._sought in self._words(row).casefold()]

    def _seek(self, event: object) -> None:
        self._sought = str(getattr(event, "value", "") or "").casefold().strip()
        self._first = 0
        self._fill()

    def _turn(self, by: int) -> None:
        self._first += by
        self._fill()

    def _fill(self, *, is_more: bool = False) -> None:
        rows = self.found if self._sought else list(self._rows)
        self._first = max(0, min(self._first, (len(rows) - 1) // PER_PAGE * PER_PAGE))
        shown = rows[self._first : self._first + PER_PAGE]
        if not is_more or shown != self._shown:
            self._make(shown)
        last = self._first + len(shown)
        noun = self._noun if len(rows) != 1 else self._noun.removesuffix("s")
        if not self._is_whole:
            self._count.set_text(f"the first {noun}; all of them are being read…")
        elif len(rows) <= PER_PAGE:
            self._count.set_text(f"{len(rows)} {noun}")
        else:
            self._count.set_text(f"{self._first + 1}–{last} of {len(rows)} {self._noun}")
        self._turning.set_visibility(len(rows) > PER_PAGE)

    def _make(self, shown: Sequence[RowT]) -> None:
        self._shown = shown
        self._list.clear()
        with self._list:
            for row in shown:
                self._show(row)
            if not shown:
                with ui.element("div").classes("ad-empty"):
                    ui.label(
                        f"No {self._noun} with “{self._sought}”." if self._sought else f"No {self._noun}."
                    )
