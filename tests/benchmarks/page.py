"""The page of the documentation: method, machine, versions, tables."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from environments import Environments, versions
from scripted import WORDS_IN_AN_ANSWER
from table import Figure, Row, Scale, comparison, listing, scaling

_METHOD = """\
# {title}

Made by `nox -s bench -- {arguments}`; no figure on this page is written by hand.

adjudge is installed from the wheel of the checkout, google-adk from its published release with its `eval` extra,
each into an environment of its own. Both sides get the same data, made by code with fixed seeds. In every row they
take turns on the same machine, after a warm-up; the table shows medians of {rounds} rounds, of 3 at most where
google-adk takes minutes. Times in seconds are those of whole processes, from the start of the command to its end,
with the results stored. Turns per second are measured inside a process, by its processor time, on objects that are
already there. Peak memory is the largest resident set that the operating system saw. Both sides must come to the
same verdicts and scores, or the run fails. A ratio says how many times better adjudge is; below 1 it is worse. A
target is what adjudge set out to reach.
"""

_ROWS = """\
The scripted agents have no model: they make two tool calls a turn and answer with {words} words. `adk eval` and
`adjudge eval` evaluate them with the default criteria, and adjudge writes its JSON report besides its journal.
Recorded cases are scored without an agent: google-adk's evaluation service is given the inferences, adjudge
`recorded:FILE`. Judged answers are recorded too; the judge is a program that takes 0.2 s to find them valid, and
what is timed is the evaluation inside the process, without imports.
"""

_GROWTH = "Benchmarks of growing sets"
_TITLES = {
    "judging": "Benchmarks of judges",
    "adk-agents": "Benchmarks of ADK agents and pytest",
    "startup": "Benchmarks beside pydantic-evals",
}
"""By the first family of rows that is measured."""

_SCALE = """\
## Growing sets

adjudge alone, one run a size: recorded cases of four turns from one eval-set file, every tenth with a failure, default
criteria, journal and JSON report written.
"""

_JUDGES = """\
## Judges

adjudge alone. Verdicts with the early stop are compared with those of all votes, case by case. The calls of whole
processes go over HTTP to a chat endpoint on the same machine, nothing is cached, and the journal is written.
"""

_PEERS = """\
## Beside pydantic-evals

Trivial cases have one turn, and only equality is measured on both sides. pydantic-evals has its cases and its agent
in the program and keeps its report in memory; adjudge reads an eval-set file and writes its journal.
"""


def text(
    environments: Environments,
    rounds: int,
    arguments: str,
    rows: Sequence[Row],
    beside_peers: Sequence[Row],
    sizes: Sequence[Scale],
    judges: Sequence[Figure],
) -> str:
    """The whole page, as Markdown."""
    adk = versions(environments.adk)
    adjudge = versions(environments.adjudge)
    parts = [
        _METHOD.format(title=_title(arguments, rows), rounds=rounds, arguments=arguments),
        machine(_tools(adjudge, adk, {} if environments.peers is None else versions(environments.peers))),
    ]
    if rows:
        parts += [_ROWS.format(words=WORDS_IN_AN_ANSWER), comparison(rows, "google-adk") + "\n"]
    if judges:
        parts += [_JUDGES, listing(judges) + "\n"]
    if sizes:
        parts += [_SCALE, scaling(sizes) + "\n"]
    if beside_peers:
        parts += [_PEERS, comparison(beside_peers, "pydantic-evals") + "\n"]
    return "\n".join(parts)


def _title(arguments: str, rows: Sequence[Row]) -> str:
    if not rows:
        return _GROWTH
    return next((title for only, title in _TITLES.items() if f"--only {only}" in arguments), "Benchmarks")


def _tools(adjudge: dict[str, str], adk: dict[str, str], peers: dict[str, str]) -> dict[str, str]:
    tools = [f"adjudge {adjudge['adjudge']}", f"google-adk {adk['google-adk']}"]
    if peers:
        tools.append(f"pydantic-evals {peers['pydantic-evals']}")
    return {
        "versions": ", ".join(tools),
        "Python": adjudge["python"]
        if adjudge["python"] == adk["python"]
        else f"{adjudge['python']}, {adk['python']}",
    }


def machine(tools: Mapping[str, str]) -> str:
    """A table of when and on what was measured; ``tools`` says with which versions."""
    facts = {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        **tools,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{_memory()}",
        "load at the end": ", ".join(f"{load:.2f}" for load in os.getloadavg()),
    }
    return "\n".join(
        ["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in facts.items()), ""]
    )


def _memory() -> str:
    information = Path("/proc/meminfo")
    if not information.is_file():
        return ""
    kib = int(information.read_text(encoding="ascii").split(maxsplit=2)[1])
    return f", {kib / 2**20:.0f} GiB of memory"
