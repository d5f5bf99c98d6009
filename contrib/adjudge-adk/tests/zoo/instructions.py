"""Instructions with templates: a model that says what it was told."""

from google.adk.agents import LlmAgent
from scripted import Scripted, turn

root_agent = LlmAgent(
    name="echo",
    instruction="Be kind to {user:name?} in {city}.",
    model=Scripted(reply=lambda request: str(request.config.system_instruction).split("\n")[0]),
)

CASES = {
    "told": [turn("What were you told?", "Be kind to Ann in Rome.")],
    "not_told": [turn("What were you told?", "Be kind to Ann and to Bob.")],
}
STATES = {"told": {"city": "Rome", "user:name": "Ann"}, "not_told": {"city": "Rome"}}
EXPECTED = {"told": ("PASS", [[]]), "not_told": ("FAIL", [[]])}
