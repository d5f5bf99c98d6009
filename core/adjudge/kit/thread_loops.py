"""Other people's asynchronous code on an event loop in a thread, where nothing has to wait for code that blocks."""

from adjudge.extension.loop_threads import Call, LoopTask, Stopped, ThreadLoop

__all__ = ["Call", "LoopTask", "Stopped", "ThreadLoop"]
