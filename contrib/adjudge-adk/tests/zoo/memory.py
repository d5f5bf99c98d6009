"""An agent that remembers by the memory service and keeps a file by the artifact service."""

from google.adk.agents import LlmAgent
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from scripted import Scripted, call, expected_call, heard, turn


async def remember(callback_context):
    await callback_context.add_session_to_memory()


async def recall(word: str, tool_context: ToolContext) -> dict:
    """Looks what was said before."""
    found = await tool_context.search_memory(word)
    return {"found": len(found.memories)}


async def keep(text: str, tool_context: ToolContext) -> dict:
    """Keeps a text."""
    await tool_context.save_artifact("note.txt", types.Part(text=text))
    return {"files": await tool_context.list_artifacts()}


def reply(request):
    part = request.contents[-1].parts[0]
    match heard(request):
        case "My dog is Rex.":
            return "Noted."
        case "Who is Rex?":
            return call("recall", word="Rex")
        case "=recall":
            return "Your dog." if part.function_response.response["found"] else "Nobody I know."
        case "Keep this.":
            return call("keep", text="this")
        case "=keep":
            return f"Kept {', '.join(part.function_response.response['files'])}."
    return "What?"


root_agent = LlmAgent(
    name="friend", model=Scripted(reply=reply), tools=[recall, keep], after_agent_callback=remember
)

RECALL = expected_call("recall", word="Rex")
CASES = {
    "remembered": [turn("My dog is Rex.", "Noted."), turn("Who is Rex?", "Your dog.", RECALL)],
    "of_another_case": [turn("Who is Rex?", "Nobody I know.", RECALL)],
    "kept": [turn("Keep this.", "Kept note.txt.", expected_call("keep", text="this"))],
}
EXPECTED = {
    "remembered": ("PASS", [[], ["recall"]]),
    "of_another_case": ("PASS", [["recall"]]),
    "kept": ("PASS", [["keep"]]),
}
