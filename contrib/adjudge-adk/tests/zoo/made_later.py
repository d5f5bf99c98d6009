"""An agent that ``get_agent_async`` makes."""

from contextlib import AsyncExitStack

from google.adk.agents import LlmAgent
from scripted import by, turn


async def get_agent_async():
    return LlmAgent(name="late", model=by({}, "Here I am.")), AsyncExitStack()


CASES = {"there": [turn("Hello?", "Here I am.")], "nobody": [turn("Hello?", "Nobody is at home today.")]}
EXPECTED = {"there": ("PASS", [[]]), "nobody": ("FAIL", [[]])}
