"""Other people's blocking code in threads: what agent adapters and local judges share."""

from adjudge.extension.threads import ThreadLoop, computed, handover, session_task

__all__ = ["ThreadLoop", "computed", "handover", "session_task"]
