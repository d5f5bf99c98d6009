"""A home that understands three sentences: an agent without a model, so that the example runs anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Devices = dict[str, dict[str, str]]

SWITCH = re.compile(r"turn (?P<status>on|off) the (?P<device>[\w ]+?) in the (?P<room>\w+)", re.IGNORECASE)
HEAT = re.compile(r"(?P<celsius>\d+) degrees in the (?P<room>\w+)", re.IGNORECASE)
LIST = re.compile(r"(?:what|which).* in the (?P<room>\w+)", re.IGNORECASE)


def list_devices(devices: Devices, room: str) -> dict[str, str]:
    """The devices of a room, and whether they are on."""
    return devices.get(room, {})


def set_device(devices: Devices, room: str, device: str, status: str) -> dict[str, str]:
    """Switch a device."""
    if device not in devices.get(room, {}):
        return {"error": f"no {device} in the {room}"}
    devices[room][device] = status
    return {"result": "ok"}


def set_temperature(devices: Devices, room: str, celsius: int) -> dict[str, str]:
    """Set a room's thermostat."""
    devices.setdefault(room, {})["thermostat"] = f"{celsius} °C"
    return {"result": "ok"}


def agent(text: str, session: Any) -> dict[str, Any]:
    """One turn. The answer has the shape of an ADK invocation: what was called, what came back, what is said."""
    devices: Devices = session.state.setdefault("devices", {})
    calls: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []

    def call(tool: Callable[..., dict[str, str]], **args: Any) -> dict[str, str]:
        response = tool(devices, **args)
        number = f"call-{len(calls) + 1}"
        calls.append({"id": number, "name": tool.__name__, "args": args})
        results.append({"id": number, "name": tool.__name__, "response": response})
        return response

    if found := SWITCH.search(text):
        room, device, status = found["room"].lower(), found["device"].lower(), found["status"].lower()
        response = call(set_device, room=room, device=device, status=status)
        answer = f"The {device} in the {room} is {status} now."
        if "error" in response:
            answer = f"I am sorry, there is {response['error']}."
    elif found := HEAT.search(text):
        room, celsius = found["room"].lower(), int(found["celsius"])
        call(set_temperature, room=room, celsius=celsius)
        answer = f"The {room} will be {celsius} degrees warm."
    elif found := LIST.search(text):
        room = found["room"].lower()
        there = call(list_devices, room=room)
        answer = f"In the {room}: " + ", ".join(
            f"the {device} is {status}" for device, status in there.items()
        )
    else:
        answer = "I can switch devices, set a temperature and list what is in a room."

    return {
        "intermediate_data": {"tool_uses": calls, "tool_responses": results},
        "final_response": {"role": "model", "parts": [{"text": answer}]},
    }
