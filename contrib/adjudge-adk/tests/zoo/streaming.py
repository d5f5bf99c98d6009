"""A model that answers in pieces, and one that answers twice."""

from google.adk.agents import LlmAgent
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from scripted import by, response, turn


def piece(text: str) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]), partial=True)


root_agent = LlmAgent(
    name="talker",
    model=by(
        {
            "Count.": [piece("one "), piece("two "), response("one two three")],
            "Twice.": [response("This is the first."), response("This is the second.")],
        }
    ),
)

CASES = {
    "counted": [turn("Count.", "one two three")],
    "only_a_piece": [turn("Count.", "one")],
    "twice": [turn("Twice.", "This is the second.")],
}
EXPECTED = {"counted": ("PASS", [[]]), "only_a_piece": ("FAIL", [[]]), "twice": ("PASS", [[]])}
