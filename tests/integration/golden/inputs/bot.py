"""An agent that does in each case what its message asks for."""

import json
import os
import signal
import time
from pathlib import Path

from adjudge.plugin import AgentError

FOLDER = Path(__file__).parent


def _die():
    """Kill the process once the results of the first case are kept."""
    from adjudge.cli import cli

    show = ["runs", "show", "golden", "--output", "kept.json"]
    status = None
    while status != "PASS":
        cli.main(show, standalone_mode=False)
        status = json.loads((FOLDER / "kept.json").read_text())["cases"][0]["status"]
    os.kill(os.getpid(), signal.SIGKILL)


def _shop(text, item, price):
    return {
        "intermediate_data": {
            "tool_uses": [
                {"id": "c1", "name": "search", "args": {"query": item}},
                {"id": "c2", "name": "add_to_cart", "args": {"item": item, "price": price}},
            ],
            "tool_responses": [{"id": "c1", "name": "search", "response": {"price": price}}],
        },
        "final_response": {"parts": [{"text": text}]},
    }


def agent(text, session):
    if "raise" in text:
        raise ValueError("the shelf <is> empty & “closed”")
    if "away" in text:
        raise AgentError("the shop is away", retryable=True)
    if "wait" in text:
        while not (FOLDER / "over").exists():
            time.sleep(0.05)
    if "die" in text and (FOLDER / "deadly").exists():
        _die()
    if "change" in text and session.repeat > 1:
        return "I changed my mind."
    if "Thanks" in text:
        return "You are welcome."
    return _shop("The milk is in your cart.", "milk", 1.09)
