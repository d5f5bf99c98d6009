"""docs/architecture.md: the drawing, the table of rooms and every name on it are those of the code."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import grimp
import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
DRAWING = PAGE.split('```text title="rooms"\n')[1].split("```")[0]
ROOMS = {
    path.stem
    for path in (REPOSITORY / "core" / "adjudge").iterdir()
    if path.suffix in ("", ".py") and not path.name.startswith("_")
}
FLOWS = {
    title: re.findall(r"^\| [^|]+ \| `([\w.:]+)` \|$", text, re.MULTILINE)
    for title, text in (part.split("\n", 1) for part in PAGE.split("\n## ")[2:])
}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("adjudge", "adjudge_plugins", exclude_type_checking_imports=True, cache_dir=None)


@pytest.fixture(scope="module")
def imports(graph: grimp.ImportGraph) -> dict[str, set[str]]:
    """The rooms that each room imports."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module in graph.modules:
        room = (*module.split("."), "")[1]
        if module.startswith("adjudge.") and room in ROOMS:
            imported = (name.split(".") for name in graph.find_modules_directly_imported_by(module))
            found[room] |= {name[1] for name in imported if name[0] == "adjudge" and len(name) > 1} - {room}
    return found


def test_the_table_has_every_room_and_what_it_imports(imports: dict[str, set[str]]) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]*)\| [^|]+ \|$", PAGE, re.MULTILINE)

    assert {room: set(re.findall(r"\w+", listed)) for room, listed in rows} == imports


def test_the_drawing_has_every_room_above_those_that_it_imports(imports: dict[str, set[str]]) -> None:
    line_of = {room: number for number, line in enumerate(DRAWING.splitlines()) for room in line.split()}

    assert line_of.keys() & ROOMS == ROOMS
    upwards = [(room, below) for room in ROOMS for below in imports[room] if line_of[room] >= line_of[below]]
    # `adjudge plugins check` runs the conformance kit, which is drawn beside it.
    assert upwards == [("cli", "testing")]


@pytest.mark.parametrize("name", sorted({name for flow in FLOWS.values() for name in flow}))
def test_every_step_is_in_the_code(name: str) -> None:
    module, _, member = name.partition(":")

    assert hasattr(importlib.import_module(module), member or "__name__")


@pytest.mark.parametrize("flow", ["An eval case", "A judged vote", "A judged log"])
def test_a_step_is_reached_by_imports_from_one_before_it_or_by_a_plugin(
    graph: grimp.ImportGraph, flow: str
) -> None:
    modules = [name.partition(":")[0] for name in FLOWS[flow]]

    assert len(modules) > 7
    for number, module in enumerate(modules[1:], start=1):
        before = modules[:number]
        reached = any(
            module == one or graph.chain_exists(importer=one, imported=module, as_packages=True)
            for one in before
        )
        # A step on the other side of the plugins' border is called through a hook or the host.
        assert reached or of_plugins(module) != of_plugins(before[-1]), module


def of_plugins(module: str) -> bool:
    return module.startswith(("adjudge_plugins", "adjudge.kit"))


def test_every_place_that_is_pointed_to_is_there() -> None:
    table = PAGE.split("\n## ")[0]
    modules = re.findall(r"`(adjudge[\w.]+)`", table)
    folders = re.findall(r"`(plugins/[\w/]+/)`", table)

    assert len(modules) > 5
    assert len(folders) == 3
    for module in modules:
        importlib.import_module(module)
    assert all((REPOSITORY / folder).is_dir() for folder in folders)
