"""A graph of nodes, of which an agent is one."""

from google.adk.agents import LlmAgent
from google.adk.workflow import START, Workflow
from scripted import by, turn

poet = LlmAgent(
    name="poet", instruction="You write lines.", model=by({}, "roses are red"), mode="single_turn"
)
root_agent = Workflow(name="press", edges=[(START, poet)])

CASES = {"red": [turn("Write.", "roses are red")], "blue": [turn("Write.", "the sea and the sky are blue")]}
EXPECTED = {"red": ("PASS", [[]]), "blue": ("FAIL", [[]])}
