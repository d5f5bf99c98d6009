"""How long large files take to open in Chromium, beside `adk web`: ``python tests/benchmarks/opening.py --adk-python PYTHON``.

Needs an environment with adjudge, adjudge-web and playwright, a Chromium, and another environment with google-adk. Nothing here
asserts a time.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

import agent_logs
import eval_sets
import page
from environments import ADK_VARIABLE, script
from playwright.sync_api import Browser, Page, sync_playwright

_AGENT: Final = "scripted_agent"
_CODE: Final = """
from google.adk.agents import BaseAgent


class Scripted(BaseAgent):
    async def _run_async_impl(self, context):
        if False:
            yield


root_agent = Scripted(name="scripted_agent")
"""
_PATIENCE: Final = 300
"""Seconds after which an opening has failed."""

_METHOD: Final = """\
# Benchmarks of the web page

Made by `python tests/benchmarks/opening.py --rounds {rounds} --write docs/reference/benchmarks-page.md`; no figure on this page is written by hand.

Times are those of a real Chromium of 1440 x 900 pixels, from the start of the navigation to the moment when the first rows are visible.
*First* is the first time after the server has started: nothing is known to it yet. *Again* is the second time, in a new browser
context without a cache. In every round each server is started, and the sides take turns; the table shows medians of {rounds} rounds.
The set has {cases:,} cases of two turns, the run has a result for each case, every tenth of them failed, and the log has one run of
{steps:,} steps. `report.html` is opened from disk.

`adk web` has no address for an eval set: its time is that from the navigation over the tab *Evals* and a click on the set to the
first cases. It shows no list of results of a run in this size, and reads no logs of others, so these have no time beside them. A
ratio says how many times faster adjudge is the first time.
"""


def main() -> None:
    """Measure, print the page, and write it."""
    options = _options()
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        _make(folder, options.cases, options.steps)
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"])
        known = [f"{name} {version(name)}" for name in ("adjudge", "adjudge-web", "nicegui")]
        known += [f"google-adk {_adk_version(options.adk_python)}", f"Chromium {browser.version}"]
        tools = {"versions": ", ".join(known), "Python": platform.python_version()}
        for rounds in range(1, options.rounds + 1):
            for name, seconds in _round(browser, folder, options.adk_python):
                sys.stderr.write(f"{rounds}  {name}: {seconds:.2f} s\n")
                found.setdefault(name, []).append(seconds)
            method = _METHOD.format(rounds=rounds, cases=options.cases, steps=options.steps)
            medians = {name: statistics.median(times) for name, times in found.items()}
            table = _table(medians, options.cases, options.steps)
            text = "\n".join([method, page.machine(tools), table])
            if options.write:
                options.write.write_text(text, encoding="utf-8")
        browser.close()
    sys.stdout.write(text)


def _options() -> argparse.Namespace:
    given = os.environ.get(ADK_VARIABLE)
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adk-python", type=Path, default=given, required=given is None)
    parser.add_argument("--chromium", default=found, required=found is None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=3_000)
    parser.add_argument("--write", type=Path)
    return parser.parse_args()


def _make(folder: Path, cases: int, steps: int) -> None:
    """The agent's folder with its set, the run with its report, and the log."""
    agent = folder / "agents" / _AGENT
    agent.mkdir(parents=True)
    (agent / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (agent / "agent.py").write_text(_CODE, encoding="utf-8")
    eval_set = eval_sets.write(agent / f"{eval_sets.EVAL_SET_ID}.evalset.json", cases, 2)
    recorded = eval_sets.write(folder / "recorded.evalset.json", cases, 2, wrong_every=10)
    agent_logs.write(folder / "agents" / "log.json", "history log", steps)
    evaluation = [sys.executable, "-m", "adjudge", "eval", f"recorded:{recorded}", str(eval_set)]
    outputs = ["--run", "large", "--output", str(folder / "report.html")]
    ended = subprocess.run([*evaluation, *outputs], env=_environment(folder), capture_output=True, text=True)
    if ended.returncode != 1:
        raise RuntimeError(
            f"the run ended with {ended.returncode}:\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"
        )


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "ADJUDGE_HOME": str(folder / "home")}


def _round(browser: Browser, folder: Path, adk_python: Path) -> Iterator[tuple[str, float]]:
    agents = folder / "agents"
    file = f"{_AGENT}/{eval_sets.EVAL_SET_ID}.evalset.json"
    places = {
        "set": (f"/set?file={file}", ".ad-row a, a.ad-row"),
        "run": ("/runs/large", ".av-case-row"),
        "log": ("/log?file=log.json&run=1", ".av-row"),
    }
    own = [sys.executable, "-m", "adjudge", "web", str(agents), "--port"]
    for name, (place, row) in places.items():
        with _served(own, folder) as address:
            for which in ("first", "again"):
                yield f"{name} {which}", _opened(browser, lambda at: _visible(at, address + place, row))  # noqa: B023 - called at once
    report = (folder / "report.html").as_uri()
    for which in ("first", "again"):
        yield f"report {which}", _opened(browser, lambda at: _visible(at, report, ".av-case-row"))
    adk = [str(script(adk_python, "adk")), "web", str(agents), "--port"]
    with _served(adk, folder) as address:
        # It asks once whether it may send telemetry; nothing below the question can be clicked.
        _opened(browser, lambda at: _refuse(at, address))
        for which in ("first", "again"):
            yield f"adk {which}", _opened(browser, lambda at: _adk_set(at, address))


def _opened(browser: Browser, show: Callable[[Page], None]) -> float:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    at = context.new_page()
    at.set_default_timeout(_PATIENCE * 1000)
    started = time.perf_counter()
    show(at)
    seconds = time.perf_counter() - started
    context.close()
    return seconds


def _visible(at: Page, address: str, row: str) -> None:
    at.goto(address, wait_until="commit")
    at.locator(row).first.wait_for()


def _dev_ui(address: str) -> str:
    return f"{address}/dev-ui/?app={_AGENT}"


def _refuse(at: Page, address: str) -> None:
    at.goto(_dev_ui(address), wait_until="commit")
    at.get_by_text("Evals", exact=True).first.wait_for()
    with contextlib.suppress(Exception):
        at.get_by_text("No Thanks").click(timeout=5000)


def _adk_set(at: Page, address: str) -> None:
    at.goto(_dev_ui(address), wait_until="commit")
    at.get_by_text("Evals", exact=True).first.click()
    at.get_by_text(eval_sets.EVAL_SET_ID, exact=True).first.click()
    at.get_by_text("case_0", exact=True).first.wait_for()


@contextlib.contextmanager
def _served(command: list[str], folder: Path) -> Iterator[str]:
    """A server in a process of its own; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    silent = subprocess.DEVNULL
    process = subprocess.Popen([*command, str(port)], env=_environment(folder), stdout=silent, stderr=silent)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(_PATIENCE * 10):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def _adk_version(python: Path) -> str:
    code = "import importlib.metadata as m; print(m.version('google-adk'))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _table(medians: dict[str, float], cases: int, steps: int) -> str:
    rows = {
        "set": f"eval set of {cases:,} cases",
        "run": f"run of {cases:,} results",
        "log": f"log of {steps:,} steps",
        "report": f"`report.html` of {cases:,} results",
    }
    lines = [
        "| what is opened | first, s | again, s | `adk web` first, s | again, s | ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for key, what in rows.items():
        first, again = medians[f"{key} first"], medians[f"{key} again"]
        other = ("-", "-", "-")
        if key == "set":
            slow, later = medians["adk first"], medians["adk again"]
            other = (f"{slow:.2f}", f"{later:.2f}", f"{slow / first:.1f}x")
        lines.append(f"| {what} | {first:.2f} | {again:.2f} | {other[0]} | {other[1]} | {other[2]} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
