"""What an agent's code is told of the session that it serves."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from adjudge.model import JsonObject
from adjudge.plugin import SessionRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The second argument of a callable. One per session: nothing in it is seen by another case."""

    eval_id: str
    repeat: int
    """From 1."""
    app_name: str
    user_id: str
    session_id: str | None
    state: dict[str, Any]
    """Starts as the case's ``session_input.state``. The agent may change it; the end is compared with
    the case's ``final_session_state``. JSON values only."""
    extra: JsonObject
    """Further keys of ``session_input`` in the file."""

    @classmethod
    def of(cls, request: SessionRequest) -> Session:
        """A session that shares nothing with the case's own data."""
        start = request.session_input
        return cls(
            eval_id=request.eval_id,
            repeat=request.repeat,
            app_name=start.app_name,
            user_id=start.user_id,
            session_id=start.session_id,
            state=copy.deepcopy(start.state),
            extra=copy.deepcopy(start.extra or {}),
        )
