"""Runs third-party asynchronous code on an event loop in a thread, so that blocking code delays nothing else."""

from adjudge.extension.loop_threads import Call, LoopTask, Stopped, ThreadLoop

__all__ = ["Call", "LoopTask", "Stopped", "ThreadLoop"]
