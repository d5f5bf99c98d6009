"""The facts about a session that an agent's code gets."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from adjudge.model import JsonObject
from adjudge.plugin import SessionRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The second argument of a callable agent. There is one per session; it shares nothing with other cases."""

    eval_id: str
    repeat: int
    """The number of the repeat, from 1."""
    app_name: str
    user_id: str
    session_id: str | None
    state: dict[str, Any]
    """The session state, initially the case's ``session_input.state``. The agent may change it; at the end it
    is compared with the case's ``final_session_state``. JSON values only."""
    extra: JsonObject
    """Further keys of ``session_input`` in the file."""

    @classmethod
    def of(cls, request: SessionRequest) -> Session:
        """Create the session from copies of the case's data."""
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
