"""The command line: thin click commands. ``adjudge --help`` imports no plugin and no heavy package."""

from __future__ import annotations

import importlib
from typing import Final

import click

# Commands are imported when they are called, so that --help stays as fast as click is.
_COMMANDS: Final = {
    "agents": ("adjudge.cli.components", "List the kinds of agents that can be evaluated."),
    "agreement": ("adjudge_plugins.agreement.command", "Say how far verdicts agree with people's labels."),
    "criteria": ("adjudge.cli.components", "List the criteria that are installed."),
    "eval": ("adjudge.cli.eval", "Evaluate an agent on eval sets."),
    "evalset": ("adjudge_plugins.evalset.command", "Validate, migrate, list and show eval sets."),
    "judge": ("adjudge.cli.judge", "Judge what agents did by criteria in words, from their logs."),
    "judges": ("adjudge.cli.judges", "List, try and measure the models that can judge."),
    "plugins": ("adjudge.cli.plugins", "List, check and create plugins."),
    "resume": ("adjudge.cli.resume", "Finish a run that was interrupted."),
    "runs": ("adjudge.cli.runs", "List and show runs."),
}


_ORIGIN: Final = "adjudge.origin of the command"


class _LazyGroup(click.Group):
    """The commands of the core, and those of distributions, which cannot take the name of one of the core."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            from adjudge.extension.commands import load_command

            loaded = load_command(cmd_name, ctx.params.get("no_plugins", ()))
            ctx.meta[_ORIGIN] = None if loaded is None else loaded.origin
            return None if loaded is None else loaded.command
        module = importlib.import_module(_COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, KeyboardInterrupt, BrokenPipeError):
            raise
        except BaseException as error:
            from adjudge.errors import AdjudgeError, PluginError
            from adjudge.extension.guard import described
            from adjudge.extension.terminal import OutputError

            origin: str | None = ctx.meta.get(_ORIGIN)
            if origin is None or isinstance(error, AdjudgeError | OutputError):
                raise
            raise PluginError(f"{origin} raised {described(error)}") from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_summaries().items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from adjudge.errors import did_you_mean

            message = f"{error.message}{did_you_mean(args[0], _summaries())}"
            raise click.UsageError(message, ctx) from None


def _summaries() -> dict[str, str]:
    from adjudge.extension.commands import listed_commands

    found = {item.name: item.summary for item in listed_commands()}
    return {**found, **{name: summary for name, (_, summary) in _COMMANDS.items()}}


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--no-plugin",
    "no_plugins",
    metavar="NAME",
    multiple=True,
    help="Do not import this plugin or distribution (repeatable).",
)
@click.version_option(package_name="adjudge")
@click.pass_context
def cli(ctx: click.Context, no_plugins: tuple[str, ...]) -> None:
    """Evaluate LLM agents: the path that they took and the answer that they gave."""
    ctx.obj = no_plugins


def main() -> None:
    """Run the command line. Every error of adjudge is one message and exit status 2."""
    import gc

    from adjudge.cli.exits import end_process, run_cli
    from adjudge.cli.signals import end_as_interrupted
    from adjudge.extension.terminal import open_closed_streams

    # Importing makes many objects and no garbage: looking for some every 700 allocations, as Python does
    # by default, is a tenth of the time of a short run.
    gc.set_threshold(50_000, 20, 20)
    open_closed_streams()
    end_as_interrupted()
    try:
        run_cli(cli)
    except SystemExit as ended:
        end_process(ended.code if isinstance(ended.code, int) else 3)
