"""The command line: thin click commands. ``adjudge --help`` imports no plugin and no heavy package."""

from __future__ import annotations

import importlib
from typing import Final

import click

from adjudge.cli.command_group import CommandGroup

# Commands are imported when they are called, so that --help stays fast.
_COMMANDS: Final = {
    "agents": ("adjudge.cli.components", "List the kinds of agents that can be evaluated."),
    "commands": ("adjudge.cli.commands", "List the commands that distributions add."),
    "criteria": ("adjudge.cli.components", "List the criteria that are installed."),
    "eval": ("adjudge.cli.eval", "Evaluate an agent on eval sets."),
    "granularity": ("adjudge.cli.components", "List the granularity strategies that are installed."),
    "judges": ("adjudge.cli.judges", "List, try and measure the models that can judge."),
    "observers": ("adjudge.cli.components", "List the observers of runs that are installed."),
    "plugins": ("adjudge.cli.plugins", "List, check and create plugins."),
    "readers": ("adjudge.cli.components", "List the readers of logs that are installed."),
    "reporters": ("adjudge.cli.components", "List the reporters that are installed."),
    "resume": ("adjudge.cli.resume", "Finish a run that was interrupted."),
    "runs": ("adjudge.cli.runs", "List, show and delete runs."),
    "simulators": ("adjudge.cli.components", "List the user simulators that are installed."),
}


class _LazyGroup(CommandGroup):
    """The commands of the core, imported when they are called."""

    def prefix(self) -> str:
        return ""

    def own_summaries(self) -> dict[str, str]:
        return {name: summary for name, (_, summary) in _COMMANDS.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(_COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--no-plugin",
    "no_plugins",
    metavar="NAME",
    multiple=True,
    help="Do not import this plugin or distribution (repeatable).",
)
@click.option(
    "--plugin-folder",
    "plugin_folders",
    metavar="FOLDER",
    multiple=True,
    help="Load the plugins in this folder, which need no packaging (repeatable).",
)
@click.version_option(package_name="adjudge")
@click.pass_context
def cli(ctx: click.Context, no_plugins: tuple[str, ...], plugin_folders: tuple[str, ...]) -> None:
    """Evaluate LLM agents: score their tool calls and their answers."""
    ctx.obj = no_plugins
    if plugin_folders:
        from pathlib import Path

        from adjudge.extension.plugin_folders import more_folders

        ctx.with_resource(more_folders(map(Path, plugin_folders)))


def main() -> None:
    """Run the command line. Every error of adjudge is one message and exit status 2."""
    import gc

    from adjudge.cli.exits import end_process, never_unnoticed, run_cli
    from adjudge.cli.signals import end_as_interrupted
    from adjudge.extension.terminal import open_closed_streams

    # Imports create many objects and no garbage. With Python's default, a collection every 700 allocations, the garbage
    # collector would take a tenth of the time of a short run.
    gc.set_threshold(50_000, 20, 20)
    open_closed_streams()
    end_as_interrupted()
    never_unnoticed()
    try:
        run_cli(cli)
    except SystemExit as ended:
        end_process(ended.code if isinstance(ended.code, int) else 3)
