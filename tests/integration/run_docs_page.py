"""Runs the examples of one Markdown page, from top to bottom, in the folder that it is started in.

``python run_docs_page.py PAGE`` prints what went wrong and exits with 1, or exits with 0. Fenced blocks:

* with ``title="NAME"``: written to the file NAME;
* ``python``: run, all in one namespace;
* ``console``: lines ``$ adjudge ...`` and ``$ pytest ...`` are run, and what they print is compared with the lines below.
  ``...`` alone on a line stands for any lines, inside a line for any text. ``$ echo $?`` is the exit status.

Other blocks are for the eye only, and so is a block with ``needs="MODULE"`` where that module is not installed: the suite of
the distribution that has it runs the page too.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import io
import re
import shlex
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<info>[^`]*)\Z")
TITLE = re.compile(r'title="([^"]+)"')
NEEDS = re.compile(r'needs="([^"]+)"')


@dataclass(frozen=True)
class Block:
    line: int
    language: str
    title: str | None
    text: str


@dataclass(frozen=True)
class Command:
    line: int
    text: str
    expected: list[str]


class ExampleError(Exception):
    """An example does not do what the page says."""


def blocks(page: str) -> Iterator[Block]:
    lines = iter(enumerate(page.splitlines(), start=1))
    for number, line in lines:
        opening = FENCE.match(line)
        if not opening:
            continue
        closing = opening["indent"] + opening["ticks"]
        inside: list[str] = []
        for _, inner in lines:
            if inner.rstrip() == closing:
                break
            inside.append(inner)
        else:
            raise ExampleError(f"line {number}: the block is never closed")
        info = opening["info"].strip()
        needs = NEEDS.search(info)
        if needs and importlib.util.find_spec(needs[1]) is None:
            continue
        title = TITLE.search(info)
        text = textwrap.dedent("\n".join(inside)) + "\n"
        yield Block(number, info.split(" ")[0], title[1] if title else None, text)


def commands(block: Block) -> Iterator[Command]:
    line, text, output = 0, "", list[str]()
    for number, found in enumerate(block.text.splitlines(), start=block.line + 1):
        if found.startswith("$ "):
            if text:
                yield Command(line, text, output)
            line, text, output = number, found[2:], []
        elif text.endswith("\\") and not output:
            text = f"{text[:-1]}{found.strip()}"
        elif not text:
            raise ExampleError(f"line {number}: a console block starts with '$ adjudge ...'")
        else:
            output.append(found)
    if text:
        yield Command(line, text, output)


def run_adjudge(arguments: list[str]) -> tuple[int, str]:
    """What a terminal would show, and the exit status."""
    from adjudge.cli import main

    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    status = 0
    before = list(sys.path)
    with (
        mock.patch.object(sys, "argv", ["adjudge", *arguments]),
        # Otherwise the page has five seconds left after its first command.
        mock.patch("adjudge.cli.exits.end_process", sys.exit),
        contextlib.redirect_stdout(screen),
        contextlib.redirect_stderr(screen),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
            status = 1
    sys.path[:] = before
    forget_modules_of(Path.cwd())
    screen.seek(0)
    return status, screen.read()


def run_pytest(arguments: list[str]) -> tuple[int, str]:
    """What pytest prints in a process of its own, and its exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout


def forget_modules_of(folder: Path) -> None:
    """The page may write another module of the same name."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name != "__main__" and file and Path(file).is_relative_to(folder):
            del sys.modules[name]
    importlib.invalidate_caches()


def compare(expected: list[str], printed: str) -> None:
    wanted = [line.rstrip() for line in expected]
    got = [line.rstrip() for line in printed.splitlines()]
    while wanted and not wanted[-1]:
        wanted.pop()
    while got and not got[-1]:
        got.pop()
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", r"[^\n]*") + "\n"
        for line in wanted
    )
    if "Traceback (most recent call last)" in printed or not re.fullmatch(
        pattern, "".join(f"{line}\n" for line in got)
    ):
        difference = difflib.unified_diff(wanted, got, "the page", "what was printed", lineterm="", n=100)
        raise ExampleError("\n".join(difference) or printed)


def run_console(block: Block) -> None:
    status = 0
    for command in commands(block):
        words = shlex.split(command.text, comments=True)
        try:
            if words == ["echo", "$?"]:
                compare(command.expected, str(status))
            elif words[:1] == ["adjudge"]:
                status, printed = run_adjudge(words[1:])
                compare(command.expected, printed)
            elif words[:1] == ["pytest"]:
                status, printed = run_pytest(words[1:])
                compare(command.expected, printed)
            else:
                raise ExampleError(
                    "only 'adjudge ...', 'pytest ...' and 'echo $?' are run in console blocks; use ```sh for the rest"
                )
        except ExampleError as error:
            raise ExampleError(f"line {command.line}: $ {command.text}\n{error}") from None


def run_page(path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    sys.path.insert(0, str(Path.cwd()))
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.title:
            target = Path(block.title)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
            forget_modules_of(Path.cwd())
        elif block.language == "python":
            # Blank lines before it, so that a traceback shows the line of the page.
            code = compile("\n" * block.line + block.text, str(path), "exec")
            exec(code, namespace)  # noqa: S102 - to run the page is what this file is for
        elif block.language == "console":
            run_console(block)


if __name__ == "__main__":
    try:
        run_page(Path(sys.argv[1]))
    except ExampleError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
