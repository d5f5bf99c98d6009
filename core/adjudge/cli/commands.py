"""``adjudge commands``: lists the commands that distributions add."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.listing import json_option, say_document
from adjudge.errors import UnknownNameError, did_you_mean
from adjudge.extension.candidates import Candidate
from adjudge.extension.commands import COMMANDS, command_summary
from adjudge.extension.discovery import installed
from adjudge.extension.tables import show_fields, show_table


@click.command("commands")
@click.argument("name", nargs=-1)
@json_option
def commands_command(name: tuple[str, ...], as_json: bool) -> None:
    """List the commands that distributions add, or show one, for instance `judges try`, without importing them."""
    listed = [_facts(candidate) for candidate in installed(COMMANDS)]
    if name:
        typed = " ".join(name).replace(".", " ")
        found = [facts for facts in listed if facts["name"] == typed]
        if not found:
            known = [facts["name"] for facts in listed]
            raise UnknownNameError(f"no distribution adds a command {typed!r}.{did_you_mean(typed, known)}")
        if as_json:
            say_document(found)
            return
        for facts in found:
            release = f"{facts['distribution']} {facts['distribution_version']}"
            show_fields(
                [
                    ("name", facts["name"]),
                    ("does", facts["summary"]),
                    ("distribution", release),
                    ("module", facts["module"]),
                ]
            )
        return
    if as_json:
        say_document(listed)
        return
    rows = [(facts["name"], facts["summary"], facts["distribution"]) for facts in listed]
    show_table(("command", "does", "distribution"), rows)


def _facts(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name.replace(".", " "),
        "summary": command_summary(candidate),
        "distribution": candidate.distribution,
        "distribution_version": candidate.version,
        "module": candidate.module,
    }
