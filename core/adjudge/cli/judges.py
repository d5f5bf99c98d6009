"""``adjudge judges``: who can judge here, what each lacks, and whether a model answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.component_info import (
    component_facts,
    option_facts,
    origin_fields,
    show_component,
    shown_name,
)
from adjudge.cli.session import load_extensions, load_for_listing
from adjudge.extension.judge_options import MOST_NUM_SAMPLES
from adjudge.extension.tables import one_line, show_fields
from adjudge.extension.terminal import say, say_json

if TYPE_CHECKING:
    from adjudge.extension.loader import Extensions
    from adjudge.runner.judge_probe import Answer, BackendState


class _NamesToo(click.Group):
    """A group in which whatever is no command names a judge backend."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _showing(cmd_name)


@click.group(
    "judges", cls=_NamesToo, invoke_without_command=True, subcommand_metavar="[NAME | try MODEL [ARGS]...]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def judges_command(ctx: click.Context, as_json: bool) -> None:
    """List the judge backends that are installed, or show the one called NAME with its options.

    A model is named as provider/model. The names of models that a provider is known by stand alone too.
    """
    if ctx.invoked_subcommand is not None:
        return
    extensions = load_for_listing(ctx.obj)
    states = _states(extensions)
    if as_json:
        say_json(json.dumps([_facts(state) for state in states], indent=2, ensure_ascii=False))
        return
    for state in states:
        spec = state.registered.spec
        say(f"{shown_name(state.registered, extensions.judge_backends)}: {spec.summary}")
        show_fields([(f"  {name}", value) for name, value in _in_short(state)])


def _in_short(state: BackendState) -> list[tuple[str, str]]:
    spec = state.registered.spec
    fields = [
        ("for instance", spec.example),
        ("names alone", " ".join(spec.models)),
        ("environment", " ".join(spec.environment)),
    ]
    known = [(name, value) for name, value in fields if value]
    lacking = [("missing" if not at else "", one_line(said)) for at, said in enumerate(state.lacking)]
    return [*known, *(lacking or [("missing", "nothing")]), *_measured(state)]


def _measured(state: BackendState) -> list[tuple[str, str]]:
    if not state.measured:
        return []
    from adjudge.cli.labelled import measurements_in_short

    lines = measurements_in_short(state.measured)
    return [("measured" if not at else "", line) for at, line in enumerate(lines)]


def _showing(name: str) -> click.Command:
    @click.command(name)
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.pass_context
    def show(ctx: click.Context, as_json: bool) -> None:
        """Show one judge backend with its options."""
        extensions = load_for_listing(ctx.obj)
        found = extensions.judge_backends.resolve(name)
        [state] = [state for state in _states(extensions) if state.registered.id == found.id]
        facts = _facts(state)
        if as_json or (ctx.parent is not None and ctx.parent.params["as_json"]):
            say_json(json.dumps(facts, indent=2, ensure_ascii=False))
            return
        spec = found.spec
        fields = [
            ("name", spec.name),
            ("id", found.id),
            ("asks", spec.summary),
            ("for instance", spec.example),
            ("names alone", " ".join(spec.models) or "none"),
            ("environment", "\n".join(spec.environment) or "nothing"),
            ("missing", "\n".join(map(one_line, state.lacking)) or "nothing"),
            *_measured(state),
        ]
        show_component([*fields, *origin_fields(found)], facts["options"])

    return show


@judges_command.command("try")
@click.argument("model")
@click.option(
    "--labelled",
    metavar="FILE...",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Measure the model on labelled turns (JSON Lines) instead.",
)
@click.argument("more", metavar="", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--num-samples",
    metavar="N",
    type=click.IntRange(min=1, max=MOST_NUM_SAMPLES),
    default=1,
    show_default=True,
    help="With --labelled: the most votes for each decision.",
)
@click.option("--max-judge-calls", metavar="N", type=int, help="With --labelled: how many calls may be made.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def try_command(
    no_plugins: tuple[str, ...],
    model: str,
    labelled: tuple[Path, ...],
    more: tuple[Path, ...],
    num_samples: int,
    max_judge_calls: int | None,
    as_json: bool,
) -> int:
    """Ask MODEL one small question, and say what came back.

    One call is made, without the cache and without a retry. With --labelled, MODEL judges turns that
    people labelled, by the criteria that they name, and what it got right is kept: later runs with that
    judge say so where it was near chance.

    \b
    Exit status: 0 it answered, 3 it did not, or not every turn could be measured,
    2 something is missing before it can be asked.
    """  # noqa: D301 - click reads \b
    if more and not labelled:
        raise click.UsageError(f"unexpected argument {str(more[0])!r}; files of labels follow --labelled")
    extensions = load_extensions(no_plugins)
    if not labelled:
        return _try(model, extensions, as_json=as_json)
    from adjudge.cli.labelled import run_labelled
    from adjudge.judge.client import JudgeUnusableError

    try:
        return run_labelled(
            model,
            [*labelled, *more],
            extensions,
            num_samples=num_samples,
            max_calls=max_judge_calls,
            as_json=as_json,
        )
    except JudgeUnusableError as error:
        say(f"error ({_in_words(error.code or 'unusable')}): {error}", err=True)
        return 3


def _try(model: str, extensions: Extensions, *, as_json: bool) -> int:
    import asyncio

    from adjudge.runner.judge_probe import try_judge

    answer = asyncio.run(try_judge(model, extensions, Path.cwd()))
    if as_json:
        say_json(json.dumps(_answer_facts(answer), indent=2, ensure_ascii=False))
    elif answer.failure is None:
        show_fields(_answer_fields(answer))
    else:
        say(f"error ({_class_of(answer)}): {answer.failure.message}", err=True)
    return 0 if answer.failure is None else 3


def _states(extensions: Extensions) -> list[BackendState]:
    from adjudge.runner.judge_probe import backend_states

    states, troubles = backend_states(extensions, Path.cwd())
    for trouble in troubles:
        say(f"warning: {trouble}", err=True)
    return states


def _facts(state: BackendState) -> dict[str, Any]:
    from adjudge.cli.labelled import measurement_facts

    spec = state.registered.spec
    return {
        **component_facts(state.registered),
        "example": spec.example,
        "models": list(spec.models),
        "environment": list(spec.environment),
        "missing": list(state.lacking),
        "measured": list(map(measurement_facts, state.measured)),
        **option_facts(state.registered),
    }


def _class_of(answer: Answer) -> str | None:
    return None if answer.failure is None else _in_words(answer.failure.code.removeprefix("judge_"))


def _in_words(code: str) -> str:
    return code.replace("_", " ")


def _answer_facts(answer: Answer) -> dict[str, Any]:
    decision, use = answer.decision, answer.use
    return {
        "judge": answer.judge,
        "error": None
        if answer.failure is None
        else {"class": _class_of(answer), "message": answer.failure.message},
        "model_version": next(iter(use.model_versions), None) if use else None,
        "verdict": decision.label if decision else None,
        "expected": "yes",
        "reason": decision.reasoning if decision else None,
        "seconds": round(answer.seconds, 3),
        "usage": use.usage.model_dump(mode="json", exclude={"extra"}) if use and use.usage else None,
        "cost": use.cost if use else None,
    }


def _answer_fields(answer: Answer) -> list[tuple[str, str]]:
    from adjudge.runner.judge_probe import TRIAL

    facts = _answer_facts(answer)
    right = facts["verdict"] == facts["expected"]
    asked = f"“{TRIAL.exhibits[0].text}” {TRIAL.items[0].text}"
    usage, cost = answer.use.usage if answer.use else None, facts["cost"]
    tokens = [] if usage is None else [(usage.input_tokens, "in"), (usage.output_tokens, "out")]
    return [
        ("judge", answer.judge),
        ("model version", facts["model_version"] or "not reported"),
        ("asked", asked),
        ("verdict", facts["verdict"] + ("" if right else f", where {facts['expected']} is right")),
        ("reason", one_line(facts["reason"] or "none given")),
        ("time", f"{answer.seconds:.2f} s"),
        (
            "tokens",
            ", ".join(f"{count} {word}" for count, word in tokens if count is not None) or "not reported",
        ),
        ("cost", "not known" if cost is None else f"{cost:.6f} USD"),
    ]
