"""``adjudge eval``: evaluate an agent on eval sets."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.run_command import (
    answers_options,
    budget_options,
    concurrency_option,
    name_option,
    report_options,
    run_and_show,
    time_limit_options,
)


def _key_value(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        key, equals, rest = value.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"expected KEY=VALUE, found {value!r}")
        pairs[key] = rest
    return pairs


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
    "--isolate",
    is_flag=True,
    help="Run every session with the agent in a separate process.",
)
@click.option(
    "--num_runs",
    "--num-runs",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of repeats of every case.",
)
@time_limit_options("a case", "case")
@name_option
@click.option(
    "--judge",
    metavar="MODEL",
    multiple=True,
    help="The judge model, as provider/model; overrides the configuration; "
    "repeat it for a panel; replay:FILE answers from a recording.",
)
@answers_options
@click.option(
    "--trust-code",
    is_flag=True,
    help="Run code that a test_config.json names, even if you did not name that file.",
)
@budget_options
@concurrency_option("Sessions with the agent that are open")
@report_options
@click.pass_obj
def eval_command(
    no_plugins: tuple[str, ...],
    /,
    agent: str,
    eval_sets: tuple[str, ...],
    no_cache: bool,
    detailed: bool,
    **options: Any,
) -> int:
    """Evaluate AGENT on eval sets.

    AGENT is a folder, package.module:name, http://…, or recorded:FILE; `adjudge agents` lists the kinds.
    An EVAL_SET is a file, a folder with every *.test.json below it, or the id of a file in the folder of the agent.

    \b
    Exit status: 0 everything passed, 1 something failed, 3 something could not be
    measured or decided, 2 usage or configuration, 130 interrupted.
    """  # noqa: D301 - click reads \b
    from adjudge.runner.api import evaluate

    def start(extensions: Any, watch: Any) -> Any:
        return evaluate(
            agent, eval_sets, use_cache=not no_cache, extensions=extensions, watch=watch, **options
        )

    return run_and_show(start, no_plugins=no_plugins, detailed=detailed)
