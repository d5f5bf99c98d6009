"""Compiled checks: what a judge once made of a criterion's words, kept so that every run is asked the same."""

from __future__ import annotations

from adjudge.extension.home_folder import home
from adjudge.journal.reply_cache import ReplyCache


def compiled_checks() -> ReplyCache:
    """The store of this installation: the judge's answer by the hash of criterion, prompt, parameters and model.

    Unlike the judge cache it is used under ``--no-cache`` too: a criterion that is broken up anew is another one.
    """
    return ReplyCache(home() / "compiled-checks.sqlite3", what="the store of compiled checks")
