"""A model that writes code, and is shown what it gave."""

from google.adk.agents import LlmAgent
from google.genai import types
from scripted import by, turn

CODE = types.Part(executable_code=types.ExecutableCode(code="print(6 * 7)", language="PYTHON"))
RESULT = types.Part(code_execution_result=types.CodeExecutionResult(outcome="OUTCOME_OK", output="42"))

root_agent = LlmAgent(
    name="coder",
    model=by(
        {
            "What is 6 times 7?": [CODE, RESULT, "It is 42."],
            "And with the result last?": ["Look:", CODE, RESULT],
        },
        "That is all.",
    ),
)

CASES = {
    "computed": [turn("What is 6 times 7?", "It is 42.")],
    "wrong": [turn("What is 6 times 7?", "The answer cannot be known.")],
}
EXPECTED = {"computed": ("PASS", [[]]), "wrong": ("FAIL", [[]])}
