"""The command ``adjudge web``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from adjudge.plugin import InputError, Problem

_DISABLED: Final = "ADJUDGE_DISABLE_PLUGINS"


@click.command("web")
@click.argument("agents_dir", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--port", metavar="N", type=click.IntRange(1, 65535), default=8420, show_default=True, help="The port."
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Any other than this machine's own needs --token.",
)
@click.option(
    "--token",
    metavar="TEXT",
    envvar="ADJUDGE_WEB_TOKEN",
    help="What everybody has to know who opens the page: 16 characters or more.",
)
@click.pass_obj
def web_command(
    no_plugins: tuple[str, ...], agents_dir: Path | None, port: int, host: str, token: str | None
) -> None:
    """Open the web page for the agents and eval sets below AGENTS_DIR, or below this folder.

    Runs are kept in AGENTS_DIR/.adjudge, where `adjudge runs` finds them too, or in ADJUDGE_HOME. Ctrl-C ends the
    page; a run that is under way then can be resumed.
    """
    from adjudge_web.safety import LOOPBACK, SHORTEST_TOKEN, Safety

    if host not in LOOPBACK and token is None:
        raise InputError(
            Problem(
                what=f"whoever can reach {host} could run code here through the page.",
                hint="Give --token with a secret of 16 characters or more, or leave --host out.",
            )
        )
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise InputError(Problem(what=f"the token is shorter than {SHORTEST_TOKEN} characters."))
    if agents_dir is not None:
        os.chdir(agents_dir)
    if no_plugins:  # for the processes that work beside the page too
        disabled = [os.environ.get(_DISABLED, ""), *no_plugins]
        os.environ[_DISABLED] = ",".join(filter(None, disabled))
    from adjudge_web.server import serve

    serve(Safety.of(host, port, token), host=host, port=port)
