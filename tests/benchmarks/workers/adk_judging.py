"""google-adk judges answers with a model that takes its time: ``adk_judging.py CASES SAMPLES SECONDS``.

Every case has one turn that was already made. Prints the seconds of the evaluation, the calls made and the score.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator

from google.adk.agents import BaseAgent
from google.adk.evaluation.base_eval_service import (
    EvaluateConfig,
    EvaluateRequest,
    InferenceResult,
    InferenceStatus,
)
from google.adk.evaluation.eval_case import EvalCase, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, JudgeModelOptions, LlmAsAJudgeCriterion
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
from google.adk.evaluation.local_eval_service import LocalEvalService
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai.types import Content, Part

cases, samples, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
calls = 0


class SlowJudge(BaseLlm):
    """Finds every answer valid."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["slow-judge"]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        global calls
        calls += 1
        await asyncio.sleep(seconds)
        text = '{\n"reasoning": "the same",\n"is_the_agent_response_valid": "valid"\n}'
        yield LlmResponse(content=Content(role="model", parts=[Part(text=text)]))


LLMRegistry.register(SlowJudge)


def turn(number: int) -> Invocation:
    return Invocation(
        invocation_id=f"i{number}",
        user_content=Content(role="user", parts=[Part(text=f"What is {number} plus one?")]),
        final_response=Content(role="model", parts=[Part(text=f"It is {number + 1}.")]),
    )


eval_cases = [EvalCase(eval_id=f"c{number}", conversation=[turn(number)]) for number in range(cases)]
manager = InMemoryEvalSetsManager()
manager.create_eval_set(app_name="app", eval_set_id="set")
for case in eval_cases:
    manager.add_eval_case(app_name="app", eval_set_id="set", eval_case=case)
service = LocalEvalService(root_agent=BaseAgent(name="recorded"), eval_sets_manager=manager)
criterion = LlmAsAJudgeCriterion(
    threshold=1.0, judge_model_options=JudgeModelOptions(judge_model="slow-judge", num_samples=samples)
)
request = EvaluateRequest(
    inference_results=[
        InferenceResult(
            app_name="app",
            eval_set_id="set",
            eval_case_id=case.eval_id,
            inferences=case.conversation,
            session_id=None,
            status=InferenceStatus.SUCCESS,
        )
        for case in eval_cases
    ],
    evaluate_config=EvaluateConfig(
        eval_metrics=[EvalMetric(metric_name="final_response_match_v2", criterion=criterion)]
    ),
)


async def passed() -> int:
    return sum([result.final_eval_status.name == "PASSED" async for result in service.evaluate(request)])


started = time.perf_counter()
count = asyncio.run(passed())
json.dump({"seconds": time.perf_counter() - started, "calls": calls, "passed": count}, sys.stdout)
