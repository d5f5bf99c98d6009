"""Other people's asynchronous code on an event loop in a thread, where nothing has to wait for code that blocks."""

from adjudge.extension.loop_tasks import SessionTask
from adjudge.extension.thread_loop import ThreadLoop

__all__ = ["SessionTask", "ThreadLoop"]
