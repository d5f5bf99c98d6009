"""Two agents at a time, then one that sums up."""

from google.adk.agents import LlmAgent, ParallelAgent, SequentialAgent
from scripted import Scripted, by, call, expected_call, heard, turn


def temperature(city: str) -> dict:
    """Says how warm it is."""
    return {"degrees": {"Rome": 25, "Oslo": 5}[city]}


def reporter(city: str) -> LlmAgent:
    def reply(request):
        result = heard(request) == "=temperature"
        return f"{city} was measured." if result else call("temperature", city=city)

    return LlmAgent(
        name=f"in_{city.lower()}", model=Scripted(reply=reply), tools=[temperature], output_key=city
    )


root_agent = SequentialAgent(
    name="weather",
    sub_agents=[
        ParallelAgent(name="everywhere", sub_agents=[reporter("Rome"), reporter("Oslo")]),
        LlmAgent(name="editor", instruction="{Rome} {Oslo}", model=by({}, "Rome is warmer than Oslo.")),
    ],
)

CALLS = (expected_call("temperature", city="Rome"), expected_call("temperature", city="Oslo"))
CASES = {
    "compared": [turn("Where is it warmer?", "Rome is warmer than Oslo.", *CALLS)],
    "wrong_answer": [turn("Where is it warmer?", "It is the same everywhere in the world.", *CALLS)],
}
EXPECTED = {
    "compared": ("PASS", [["temperature", "temperature"]]),
    "wrong_answer": ("FAIL", [["temperature", "temperature"]]),
}
