"""What the documentation promises to be complete is complete."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from adjudge import plugin

HELD_BY = re.compile(r"^Held by `([^`]+)`\.$", flags=re.MULTILINE)


def differences(repository: Path) -> dict[str, str]:
    """The titles of the entries, to their texts."""
    page = (repository / "docs" / "reference" / "differences-from-adk.md").read_text(encoding="utf-8")
    _, *entries = re.split(r"^## ", page, flags=re.MULTILINE)
    return dict(entry.split("\n", 1) for entry in entries)


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def test_every_difference_from_adk_names_a_test_that_exists(repository: Path) -> None:
    entries = differences(repository)
    missing: list[str] = []
    for title, text in entries.items():
        named = HELD_BY.findall(text)
        if not named:
            missing.append(f"{title}: names no test")
        for test in named:
            file, _, name = test.partition("::")
            path = repository / file
            if not path.is_file() or name not in names_of_tests(path):
                missing.append(f"{title}: there is no {test}")

    assert entries
    assert missing == []


def test_every_page_is_reachable_from_the_navigation(repository: Path) -> None:
    settings = (repository / ".mkdocs.yml").read_text(encoding="utf-8")
    docs = repository / "docs"
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    named = set(re.findall(r"[\w/-]+\.md", settings))

    assert named == pages, "the pages in docs/ and the navigation in .mkdocs.yml differ"


def test_every_name_of_the_authors_door_is_used_in_an_example_of_the_author_guide(repository: Path) -> None:
    pages = (repository / "docs" / "authors").glob("*.md")
    examples = "\n".join(
        example
        for page in pages
        for example in re.findall(
            r"^```python.*?\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
        )
    )
    words = set(re.findall(r"\w+", examples))

    assert set(plugin.__all__) - words == set()
