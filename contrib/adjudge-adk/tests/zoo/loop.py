"""An agent that improves its draft until a critic ends the loop."""

from google.adk.agents import LlmAgent, LoopAgent
from google.adk.tools.exit_loop_tool import exit_loop
from google.adk.tools.tool_context import ToolContext
from scripted import Scripted, call, expected_call, heard, turn


def improve(tool_context: ToolContext) -> dict:
    """Improves the draft."""
    drafts = tool_context.state.get("drafts", 0) + 1
    tool_context.state["drafts"] = drafts
    return {"drafts": drafts}


def write(request):
    return "A better draft." if heard(request) == "=improve" else call("improve")


def judge(request):
    return call("exit_loop") if "Drafts: 2" in str(request.config.system_instruction) else "Once more."


root_agent = LoopAgent(
    name="studio",
    max_iterations=5,
    sub_agents=[
        LlmAgent(name="writer", model=Scripted(reply=write), tools=[improve]),
        LlmAgent(
            name="critic", instruction="Drafts: {drafts}", model=Scripted(reply=judge), tools=[exit_loop]
        ),
    ],
)

CALLS = (expected_call("improve"), expected_call("improve"), expected_call("exit_loop"))
CASES = {
    "twice": [turn("Write.", "A better draft.", *CALLS)],
    "once": [turn("Write.", "A better draft.", *CALLS[1:])],
}
EXPECTED = {
    "twice": ("PASS", [["improve", "improve", "exit_loop"]]),
    "once": ("FAIL", [["improve", "improve", "exit_loop"]]),
}
