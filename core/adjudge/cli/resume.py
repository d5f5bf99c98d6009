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
    help="The agent's address, needed if it has a query: the values of a query are not stored, because they may be keys.",
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

    Finished work is not repeated, retryable errors are tried again, verdicts never change. A run whose
    eval sets, criteria, plugins or agent options have changed is refused, with the differences.
    """
    from adjudge.runner.api import resume

    def start(extensions: Any, watch: Any) -> Any:
        return resume(name, extensions=extensions, watch=watch, **options)

    return run_and_show(start, no_plugins=no_plugins, detailed=detailed)
