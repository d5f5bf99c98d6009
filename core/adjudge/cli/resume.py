"""``adjudge resume``: finish a run that was interrupted."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.run_command import budget_options, report_options, run_and_show


@click.command("resume")
@click.argument("name")
@click.option(
    "--agent",
    metavar="ADDRESS",
    help="The agent's address. Needed if the address has a query, because adjudge stores no query: it may contain a key.",
)
@budget_options
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(min=1),
    help="Sessions with the agent that are open at a time; default: as in the original run.",
)
@report_options
@click.pass_obj
def resume_command(no_plugins: tuple[str, ...], /, name: str, detailed: bool, **options: Any) -> int:
    """Finish the run NAME.

    Finished work is not repeated, temporary errors are retried, and verdicts never change. If an eval set, a
    criterion, a plugin or an agent option has changed since, nothing is run and the differences are listed.
    """
    from adjudge.runner.api import resume

    def start(extensions: Any, watch: Any) -> Any:
        return resume(name, extensions=extensions, watch=watch, **options)

    return run_and_show(start, no_plugins=no_plugins, detailed=detailed)
