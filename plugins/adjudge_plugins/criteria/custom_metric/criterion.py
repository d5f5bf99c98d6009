"""Calls a metric function that was written for ADK."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from typing import Any

from adjudge.kit.thread_pool import ThreadPool
from adjudge.kit.threads import handover
from adjudge.plugin import CaseUnderTest, Host, Measurement, Outcome
from adjudge_plugins.criteria.custom_metric.arguments import arguments_for
from adjudge_plugins.criteria.custom_metric.config import CustomMetricConfig
from adjudge_plugins.criteria.custom_metric.loading import load_function
from adjudge_plugins.criteria.custom_metric.reading import measurement_of


class CustomMetric:
    """Calls a function ``(eval_metric, actual_invocations, expected_invocations, conversation_scenario)``.

    The function may be asynchronous. A synchronous function runs in a thread, and may run several times at
    once for different cases.
    """

    def __init__(self, config: CustomMetricConfig, host: Host) -> None:
        self._name = config.function
        self._function = load_function(config.function, host)
        self._arguments = arguments_for(config)
        self._threshold = config.threshold
        self._pool = ThreadPool()

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Call the function and convert its result; if it raises, the result is an error that names it."""
        try:
            result = await _called(self._function, self._arguments(case), self._pool)
            return measurement_of(result, len(case.actual.invocations), self._name, self._threshold)
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            message = f"{self._name}: {type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
            return Measurement(overall=Outcome.failed("metric_raised", message, origin=self._name))


async def _called(function: Callable[..., Any], arguments: tuple[Any, ...], pool: ThreadPool) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*arguments)
    # A daemon thread, so that a hanging function delays neither Ctrl-C nor the end of the run.
    work, done = handover(lambda: function(*arguments), _refused)
    name = getattr(function, "__qualname__", type(function).__name__)  # a callable object has no __qualname__
    pool.submit(f"adjudge metric {name}", work, done)
    result = await done
    return await result if inspect.isawaitable(result) else result


def _refused(error: BaseException) -> Exception:
    return RuntimeError(f"it raised {type(error).__name__}: {error}")
