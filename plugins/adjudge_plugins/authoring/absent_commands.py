"""Commands of distributions that are not installed: each prints how to install it."""

from __future__ import annotations

import click

from adjudge.plugin import InputError, Problem


@click.command("web", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def web_command(arguments: tuple[str, ...]) -> None:
    """Open the web page, which is a separate distribution."""
    del arguments
    raise InputError(
        Problem(what="the web page is not installed.", hint="Install it: pip install ./contrib/adjudge-web")
    )
