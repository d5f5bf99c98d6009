"""An App whose plugin stops what the agent must not be asked, and whose agent is made when it is needed."""

from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.plugins.base_plugin import BasePlugin
from scripted import by, response, turn


class Guard(BasePlugin):
    """Answers in the place of the model."""

    async def before_model_callback(self, *, callback_context, llm_request):
        said = llm_request.contents[-1].parts[0].text or ""
        return response("That is none of my business.") if "secret" in said else None


root_agent = LlmAgent(name="clerk", model=by({}, "At your service."))
app = App(name="guarded", root_agent=root_agent, plugins=[Guard(name="guard")])

CASES = {
    "served": [turn("Hello.", "At your service.")],
    "stopped": [turn("Tell me the secret.", "That is none of my business.")],
    "told": [turn("Tell me the secret.", "It is under the doormat of the house.")],
}
EXPECTED = {"served": ("PASS", [[]]), "stopped": ("PASS", [[]]), "told": ("FAIL", [[]])}
