"""The arguments of a metric function: ADK's own objects if google-adk is installed, else adjudge's.

adjudge's objects have the same attributes: ``invocation.user_content.parts[0].text``,
``invocation.intermediate_data.tool_uses``, ``eval_metric.criterion.threshold`` and so on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeAlias

from adjudge.kit.adk import case_to_adk, invocation_to_adk
from adjudge.model import Invocation
from adjudge.plugin import CaseUnderTest
from adjudge_plugins.criteria.custom_metric.config import CustomMetricConfig

MetricArguments: TypeAlias = tuple[Any, list[Any], list[Any] | None, Any]
"""``eval_metric``, ``actual_invocations``, ``expected_invocations``, ``conversation_scenario``."""


def arguments_for(config: CustomMetricConfig) -> Callable[[CaseUnderTest], MetricArguments]:
    """Return a function that creates the arguments for a case."""
    try:
        eval_case = importlib.import_module("google.adk.evaluation.eval_case")
        eval_metrics = importlib.import_module("google.adk.evaluation.eval_metrics")
    except ImportError:
        return lambda case: _ours(config, case)
    return lambda case: _of_adk(config, case, eval_case, eval_metrics)


def _ours(config: CustomMetricConfig, case: CaseUnderTest) -> MetricArguments:
    metric = SimpleNamespace(
        metric_name=_metric_name(config),
        threshold=None,
        criterion=SimpleNamespace(**_criterion(config)),
        custom_function_path=config.function,
    )
    expected = case.case.conversation
    return (
        metric,
        list(_with_rubrics(case)),
        None if expected is None else list(expected),
        case.case.conversation_scenario,
    )


def _of_adk(
    config: CustomMetricConfig, case: CaseUnderTest, eval_case: Any, eval_metrics: Any
) -> MetricArguments:
    metric = eval_metrics.EvalMetric(
        metric_name=_metric_name(config),
        # Without validation: ADK's class requires a threshold, which is optional here.
        criterion=eval_metrics.BaseCriterion.model_construct(**_criterion(config)),
        custom_function_path=config.function,
    )
    expected = case.case.conversation
    scenario = case_to_adk(case.case).get("conversation_scenario")
    return (
        metric,
        [eval_case.Invocation.model_validate(invocation_to_adk(turn)) for turn in _with_rubrics(case)],
        None
        if expected is None
        else [eval_case.Invocation.model_validate(invocation_to_adk(turn)) for turn in expected],
        None if scenario is None else eval_case.ConversationScenario.model_validate(scenario),
    )


def _metric_name(config: CustomMetricConfig) -> str:
    return config.metric_name or config.function.rpartition(".")[2]


def _criterion(config: CustomMetricConfig) -> dict[str, Any]:
    """The criterion as ADK builds it, with ``threshold`` and the additional keys of the entry."""
    return {
        "include_intermediate_responses_in_final": False,
        **(config.model_extra or {}),
        "threshold": config.threshold,
    }


def _with_rubrics(case: CaseUnderTest) -> list[Invocation]:
    """Copy the rubrics of the case and of the expected turns to the actual turns, as ADK does."""
    turns: list[Invocation] = []
    for actual, expected in case.pairs:
        rubrics = (*(case.case.rubrics or ()), *((expected and expected.rubrics) or ()))
        turns.append(actual.model_copy(update={"rubrics": rubrics}) if rubrics else actual)
    return turns
