"""``--roles``: assigns the roles of messages to user, agent or environment, for formats that do not define them."""

from __future__ import annotations

import click


def _roles_of(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Parse ``ROLE=OWNER`` pairs; the names are validated when the logs are read."""
    roles: dict[str, str] = {}
    for text in given:
        role, equals, kind = text.rpartition("=")
        if not equals or not role:
            message = f"{text!r} is not of the form ROLE=KIND; for instance: terminal=environment"
            raise click.BadParameter(message, context, parameter)
        if roles.setdefault(role, kind) != kind:
            message = f"{role!r} is assigned to both {roles[role]!r} and {kind!r}"
            raise click.BadParameter(message, context, parameter)
    return roles


roles_option = click.option(
    "--roles",
    metavar="ROLE=user|agent|environment",
    multiple=True,
    callback=_roles_of,
    help="In chat logs: who writes the messages of this role or name. Repeatable.",
)
"""Passes ``roles``, a dict, to the command."""
