"""``adjudge judge``: judge what agents did by criteria in words, from their logs."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from adjudge import (
    answers_options,
    budget_options,
    concurrency_option,
    name_option,
    report_options,
    run_and_show,
    time_limit_options,
)
from adjudge_plugins.ai_judge.roles_option import roles_option

_OF_A_RUN = ("run", "outputs", "record", "timeout", "scoring_timeout", "concurrency", "aggregate_only")
"""Options that change nothing of what would be asked."""


@click.command("judge")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("--criteria", metavar="FILE", help="The criteria in words: a list in YAML or JSON.")
@click.option("--task", metavar="TEXT", help="The goal of runs whose log names none.")
@click.option(
    "--instructions", metavar="FILE", help="What the agent was told, for runs whose log does not say it."
)
@click.option(
    "--tools", metavar="FILE", help="The tools that the agent had, a JSON list, for runs whose log has none."
)
@click.option(
    "--judge",
    "judges",
    metavar="MODEL",
    multiple=True,
    help="The model that judges, as provider/model; repeat it for a panel; "
    "replay:FILE answers from a recording.",
)
@click.option(
    "--num-samples",
    metavar="N",
    type=int,
    show_default="5",
    help="The most votes for each decision; 1 is enough for a judge that always says the same.",
)
@click.option(
    "--granularity",
    metavar="auto|NAME",
    show_default="auto",
    help="How closely to look: each criterion's own or the one that fits it, or this one for all.",
)
@click.option("--reader", metavar="NAME", help="The trace reader; otherwise each file's content decides.")
@roles_option
@click.option(
    "--aggregate-only", is_flag=True, help="End after aggregation: no verdicts, and no judge is needed."
)
@click.option(
    "--correct-phases",
    is_flag=True,
    help="Let the judge move where sub-tasks begin, and join them: one call a run.",
)
@click.option(
    "--strict-evidence",
    is_flag=True,
    help="UNSURE about outcomes where a log shows nothing of what came back.",
)
@click.option(
    "--token-budget",
    metavar="N",
    type=int,
    show_default="24000",
    help="Tokens that one request to a judge may have.",
)
@click.option(
    "--calibration",
    metavar="FILE",
    help="What 'adjudge agreement --fit' wrote; otherwise what it has kept of these checks and judges.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say how many requests and tokens it would take, and what they cost; ask nothing.",
)
@answers_options
@name_option
@time_limit_options("reading a run", "run")
@concurrency_option("Runs that are in memory")
@budget_options
@report_options
@click.pass_obj
def judge_command(
    no_plugins: tuple[str, ...],
    /,
    logs: tuple[str, ...],
    criteria: str | None,
    no_cache: bool,
    max_judge_calls: int | None,
    max_cost: float | None,
    judges: tuple[str, ...],
    detailed: bool,
    dry_run: bool,
    **options: Any,
) -> int:
    """Judge what agents did by criteria in words, from their logs.

    A LOG is a file, a folder with every log below it, or a glob between quotes.

    \b
    Exit status: 0 everything passed, 1 something failed, 3 something could not be
    measured or decided, 2 usage or configuration, 130 interrupted.
    """  # noqa: D301 - click reads \b
    from adjudge import estimate_logs, judge_logs

    if dry_run:
        from adjudge_plugins.ai_judge.estimate_table import show_estimate

        named = {name: value for name, value in options.items() if name not in _OF_A_RUN}
        show_estimate(
            asyncio.run(
                estimate_logs(
                    logs,
                    criteria,
                    judge=judges,
                    use_cache=not no_cache,
                    disable=no_plugins,
                    **named,
                )
            )
        )
        return 0

    def start(extensions: Any, watch: Any) -> Any:
        return judge_logs(
            logs,
            criteria,
            judge=judges,
            use_cache=not no_cache,
            max_judge_calls=max_judge_calls,
            max_cost=max_cost,
            extensions=extensions,
            watch=watch,
            **options,
        )

    return run_and_show(start, no_plugins=no_plugins, detailed=detailed)
