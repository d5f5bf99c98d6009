"""Other people's blocking code in threads: what agent adapters and local judges share."""

from adjudge.extension.threads import computed, handover, start_thread

__all__ = ["computed", "handover", "start_thread"]
