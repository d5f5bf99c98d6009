"""Groups of commands that distributions can extend."""

from __future__ import annotations

from typing import Final

import click

_ORIGIN: Final = "adjudge.origin of the command"


class CommandGroup(click.Group):
    """A group of the core that distributions can extend with commands. They cannot replace the group's own commands.

    An entry point ``judges.try`` is the command ``try`` of the group ``judges``.
    """

    def own_summaries(self) -> dict[str, str]:
        """The core's commands: the name, and a one-line summary."""
        return {name: command.get_short_help_str(200) for name, command in self.commands.items()}

    def prefix(self) -> str:
        """The beginning of the names of entry points that add a command to this group."""
        return f"{self.name}."

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all commands."""
        return sorted(self._summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command. A distribution's command is imported."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or "." in cmd_name:
            return own
        from adjudge.extension.commands import load_command

        loaded = load_command(f"{self.prefix()}{cmd_name}", ctx.find_root().params.get("no_plugins", ()))
        if loaded is None:
            return None
        command, ctx.meta[_ORIGIN] = loaded
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. An exception of a distribution's command becomes an error that names the distribution."""
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
        """List all commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._summaries().items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the user typed, or suggest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from adjudge.errors import did_you_mean

            message = f"{error.message}{did_you_mean(args[0], self._summaries())}"
            raise click.UsageError(message, ctx) from None

    def _summaries(self) -> dict[str, str]:
        from adjudge.extension.commands import listed_commands

        prefix = self.prefix()
        added = {
            name.removeprefix(prefix): summary
            for name, summary in listed_commands().items()
            if name.startswith(prefix) and "." not in name.removeprefix(prefix)
        }
        return {**added, **self.own_summaries()}
