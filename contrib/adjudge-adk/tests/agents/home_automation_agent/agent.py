from google.adk.agents import LlmAgent
from google.adk.tools.tool_context import ToolContext
from scripted import Scripted, call, heard


def set_device_info(location: str, device_id: str, status: str, tool_context: ToolContext) -> dict:
    """Switches a device."""
    tool_context.state[device_id] = status
    return {"result": f"{device_id} in the {location} is {status}."}


def get_device_info(device_id: str, tool_context: ToolContext) -> dict:
    """Says whether a device is on."""
    return {"status": tool_context.state.get(device_id, "OFF")}


def reply(request):
    match heard(request):
        case "Turn off device_2 in the Bedroom.":
            return call("set_device_info", location="Bedroom", device_id="device_2", status="OFF")
        case "=set_device_info":
            return "I have set the device_2 status to off."
        case "Is it on?":
            return call("get_device_info", device_id="device_2")
        case "=get_device_info":
            result = request.contents[-1].parts[0].function_response.response
            return f"It is {result['status'].lower()}."
    return "I cannot do that."


root_agent = LlmAgent(
    name="home_automation_agent",
    model=Scripted(reply=reply),
    instruction="You switch devices of {user_name?}.",
    tools=[set_device_info, get_device_info],
)
