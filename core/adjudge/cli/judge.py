"""``adjudge judge``: judge what agents did by criteria in words, from their logs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from adjudge.cli.eval import budget_options
from adjudge.cli.printing import ended, print_report, reported, say_stopped
from adjudge.cli.session import load_extensions
from adjudge.extension.judge_options import DEFAULT_NUM_SAMPLES


@click.command("judge")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("--criteria", metavar="FILE", help="The criteria in words: a list in YAML or JSON.")
@click.option("--task", metavar="TEXT", help="The goal of runs whose log names none.")
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
    default=DEFAULT_NUM_SAMPLES,
    show_default=True,
    help="The most votes for each decision; 1 is enough for a judge that always says the same.",
)
@click.option(
    "--granularity",
    metavar="auto|NAME",
    default="auto",
    show_default=True,
    help="How closely to look: each criterion's own or the one that fits it, or this one for all.",
)
@click.option("--reader", metavar="NAME", help="The trace reader; otherwise each file's content decides.")
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
    default=24_000,
    show_default=True,
    help="Tokens that one request to a judge may have.",
)
@click.option(
    "--calibration",
    metavar="FILE",
    help="What 'adjudge agreement --fit' wrote; otherwise what it has kept of these checks and judges.",
)
@click.option("--record", metavar="FILE", help="Record the calls to judges in a new file.")
@click.option("--no-cache", is_flag=True, help="Ask judges anew what earlier runs have asked.")
@budget_options
@click.option(
    "--output",
    "outputs",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Write a report; its ending decides the kind: .json, .xml (repeatable).",
)
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
    **options: Any,
) -> int:
    """Judge what agents did by criteria in words, from their logs.

    A LOG is a file, a folder with every log below it, or a glob between quotes.

    \b
    Exit status: 0 everything passed, 1 something failed, 3 something could not be
    measured or decided, 2 usage or configuration, 130 interrupted.
    """  # noqa: D301 - click reads \b
    from adjudge.cli.live import judge_to_end
    from adjudge.runner.logs.api import judge_logs
    from adjudge.runner.reports import show_logs

    extensions = load_extensions(no_plugins)

    def start(watch: Any) -> Any:
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

    kept = "what the judges answered is kept: the same command again asks nothing twice."
    interrupted = f"interrupted; {'no answer was kept.' if no_cache else kept}"
    judged, unwritten = reported(lambda: judge_to_end(start, interrupted=interrupted))
    unprinted = print_report(partial(show_logs, judged), extensions, otherwise=judged.status or "")
    say_stopped(judged.judges)
    return ended(judged.exit_status, unwritten, unprinted)
