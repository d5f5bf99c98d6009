"""``adjudge eval``: evaluate an agent on eval sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from adjudge.cli.printing import ended, print_report, reported, say_stopped
from adjudge.cli.session import load_extensions
from adjudge.runner.request import DEFAULT_CONCURRENCY, DEFAULT_SCORING_TIMEOUT, DEFAULT_TIMEOUT

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.extension.protocols import RunReport
    from adjudge.runner.api import RunResult

_CommandT = TypeVar("_CommandT", bound=Callable[..., Any])


def _key_value(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        key, equals, rest = value.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"expected KEY=VALUE, found {value!r}")
        pairs[key] = rest
    return pairs


def report_options(command: _CommandT) -> _CommandT:
    """The options of every command that ends with a report."""
    command = click.option(
        "--output",
        "outputs",
        metavar="FILE",
        multiple=True,
        type=click.Path(path_type=Path),
        help="Write a report; its ending decides the kind: .json, .xml (repeatable).",
    )(command)
    return click.option(
        "--print_detailed_results",
        "--print-detailed-results",
        "detailed",
        is_flag=True,
        help="Show every turn: prompt, expected and actual response and calls, scores and reasons.",
    )(command)


def run_options(command: _CommandT) -> _CommandT:
    """The options of every command that runs an agent."""
    return click.option(
        "--concurrency",
        metavar="N",
        type=click.IntRange(min=1),
        default=DEFAULT_CONCURRENCY,
        show_default=True,
        help="Sessions with the agent that are open at a time.",
    )(command)


def budget_options(command: _CommandT) -> _CommandT:
    """The options of every command that may ask judges."""
    command = click.option(
        "--max-cost", metavar="USD", type=float, help="What judges may cost; needs adjudge[prices]."
    )(command)
    return click.option(
        "--max-judge-calls", metavar="N", type=int, help="How many calls to judges may be made."
    )(command)


@click.command("eval")
@click.argument("agent")
@click.argument("eval_sets", metavar="EVAL_SET[:case1,case2]...", nargs=-1, required=True)
@click.option(
    "--config_file_path",
    "--config-file-path",
    "config",
    metavar="FILE",
    help="The criteria. Otherwise the test_config.json beside each eval set, or the default criteria.",
)
@click.option(
    "--agent-option",
    "agent_options",
    metavar="KEY=VALUE",
    multiple=True,
    callback=_key_value,
    help="An option of the agent adapter (repeatable).",
)
@click.option(
    "--num_runs",
    "--num-runs",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How often every case runs.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULT_TIMEOUT,
    show_default=True,
    help="How long a case may take.",
)
@click.option(
    "--scoring-timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULT_SCORING_TIMEOUT,
    show_default=True,
    help="How long a criterion may take on a case, without what it waits for judges; inf for no limit.",
)
@click.option("--run", metavar="NAME", help="The name of the run; made from the time where it is not given.")
@click.option(
    "--judge",
    "judges",
    metavar="MODEL",
    multiple=True,
    help="The model that judges, as provider/model, whatever the configuration names; "
    "repeat it for a panel; replay:FILE answers from a recording.",
)
@click.option("--record", metavar="FILE", help="Record the calls to judges in a new file.")
@click.option("--no-cache", is_flag=True, help="Ask judges anew what earlier runs have asked.")
@click.option(
    "--trust-code",
    is_flag=True,
    help="Run code that a test_config.json names, also where the file was only found beside an eval set.",
)
@budget_options
@run_options
@report_options
@click.pass_obj
def eval_command(
    no_plugins: tuple[str, ...],
    agent: str,
    eval_sets: tuple[str, ...],
    config: str | None,
    agent_options: dict[str, str],
    num_runs: int,
    timeout: float,
    scoring_timeout: float,
    run: str | None,
    judges: tuple[str, ...],
    record: str | None,
    no_cache: bool,
    trust_code: bool,
    max_judge_calls: int | None,
    max_cost: float | None,
    concurrency: int,
    outputs: tuple[Path, ...],
    detailed: bool,
) -> int:
    """Evaluate AGENT on eval sets.

    AGENT is package.module:name, http://…, or recorded:FILE; `adjudge agents` lists the kinds.
    An EVAL_SET is a file, or a folder with every *.test.json below it.

    \b
    Exit status: 0 everything passed, 1 something failed, 3 something could not be
    measured or decided, 2 usage or configuration, 130 interrupted.
    """  # noqa: D301 - click reads \b
    from adjudge.cli.live import run_to_end
    from adjudge.runner.api import evaluate

    extensions = load_extensions(no_plugins)

    def start(watch: Any) -> Any:
        return evaluate(
            agent,
            eval_sets,
            config=config,
            agent_options=agent_options,
            num_runs=num_runs,
            concurrency=concurrency,
            timeout=timeout,
            scoring_timeout=scoring_timeout,
            run=run,
            judge=judges,
            max_judge_calls=max_judge_calls,
            max_cost=max_cost,
            use_cache=not no_cache,
            record=record,
            outputs=outputs,
            trust_code=trust_code,
            extensions=extensions,
            watch=watch,
        )

    result, unwritten = reported(lambda: run_to_end(start))
    unprinted = show_result(result, extensions, detailed=detailed)
    return ended(result.summary.exit_status, unwritten, unprinted)


def show_result(result: RunResult, extensions: Extensions, *, detailed: bool) -> str | None:
    """Print the report of a finished run; why that cannot be, where it cannot."""
    from adjudge.journal.run_journal import Journal
    from adjudge.runner.reports import report_of

    with Journal.open_to_read(result.journal) as journal:
        unprinted = show_report(report_of(journal, result.summary, detailed=detailed), extensions)
    say_stopped(result.summary.judges)
    return unprinted


def show_report(report: RunReport, extensions: Extensions) -> str | None:
    """Print a report; the verdict alone where the console reporter is disabled or broken.

    Returns:
        Why it could not be printed.
    """
    from adjudge.runner.reports import show

    said = f"{report.summary.status}  run {report.run.name}"
    return print_report(partial(show, report), extensions, otherwise=said)
