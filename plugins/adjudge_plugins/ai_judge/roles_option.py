"""``--roles``: whose the messages of a role are, in logs whose format does not say it."""

from __future__ import annotations

import click


def _roles_of(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The roles with whose they are; which names are known is checked with the logs."""
    roles: dict[str, str] = {}
    for text in given:
        role, equals, kind = text.rpartition("=")
        if not equals or not role:
            message = f"{text!r} is no role with whose it is; for instance: terminal=environment"
            raise click.BadParameter(message, context, parameter)
        if roles.setdefault(role, kind) != kind:
            message = f"{role!r} is said to be of {roles[role]!r} and of {kind!r}"
            raise click.BadParameter(message, context, parameter)
    return roles


roles_option = click.option(
    "--roles",
    metavar="ROLE=user|agent|environment",
    multiple=True,
    callback=_roles_of,
    help="In logs of chats: whose the messages of this role or name are. Repeatable.",
)
"""Gives the command ``roles``, a dict."""
