"""How the command line ends: messages for a person, and the exit status."""

from __future__ import annotations

import os
import sys
from typing import Final, NoReturn

import click

USAGE: Final = 2
"""Usage or configuration."""
UNMEASURED: Final = 3
"""Something could not be measured; an error of adjudge itself is that too, and never looks like a FAIL."""
INTERRUPTED: Final = 130


def run_cli(command: click.Command) -> NoReturn:
    """Run ``command`` and exit; an ``AdjudgeError`` is its message, never a traceback."""
    try:
        status = command.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (`adjudge … | head`). Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except BaseException as error:  # SystemExit too: what somebody's code asks for is no verdict of ours
        from adjudge.errors import AdjudgeError

        if isinstance(error, AdjudgeError):
            from adjudge.reporting import clean  # messages repeat what stands in files

            for warning in getattr(error, "warnings", ()):
                click.echo(f"warning: {clean(warning)}", err=True)
            click.echo(f"error: {clean(str(error))}", err=True)
            sys.exit(USAGE)
        import traceback

        traceback.print_exc()
        click.echo(
            "This is a fault in adjudge or in a plugin; please report it with the lines above.", err=True
        )
        sys.exit(UNMEASURED)
    sys.exit(status if isinstance(status, int) else 0)
