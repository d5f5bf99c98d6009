"""``adjudge judge``: judges runs in logs by criteria in words."""

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
"""Options of a run that do not affect what would be asked."""


@click.command("judge")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("--criteria", metavar="FILE", help="The criteria in words: a list in YAML or JSON.")
@click.option("--task", metavar="TEXT", help="The task of runs whose log contains none.")
@click.option(
    "--instructions",
    metavar="FILE",
    help="The agent's instructions, for runs whose log does not contain them.",
)
@click.option(
    "--tools",
    metavar="FILE",
    help="The agent's tools, a JSON list, for runs whose log does not contain them.",
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
    help="The maximum number of votes for each decision; 1 is enough for a deterministic judge.",
)
@click.option(
    "--granularity",
    metavar="auto|NAME",
    show_default="auto",
    help="The level of detail for all criteria; auto: that of each criterion, or chosen to fit it.",
)
@click.option(
    "--reader", metavar="NAME", help="The trace reader; default: detected from each file's content."
)
@roles_option
@click.option(
    "--aggregate-only", is_flag=True, help="Stop after aggregation: no verdicts; no judge is needed."
)
@click.option(
    "--correct-phases",
    is_flag=True,
    help="Let the judge move where sub-tasks begin, and join them: one call a run.",
)
@click.option(
    "--strict-evidence",
    is_flag=True,
    help="If a log records no results, UNSURE instead of a verdict from the agent's own statements.",
)
@click.option(
    "--token-budget",
    metavar="N",
    type=int,
    help="Tokens that one request to a judge may have. Default: three quarters of the judge's context window, at most 150000; 24000 if it is unknown.",
)
@click.option(
    "--calibration",
    metavar="FILE",
    help="A file of 'adjudge agreement --fit'; default: the stored calibration of these checks and judges.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Estimate the requests, tokens and cost, without any call.",
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
