"""An agent that does what the user's words say, in the protocol: for tests."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def say(kind, **line):
    sys.stdout.write(json.dumps({"type": kind, **line}) + "\n")
    sys.stdout.flush()


TOOLS = [{"name": "look_up", "description": "Looks an order up.", "parameters": {"type": "object"}}]
session = json.loads(sys.stdin.readline())
state = session["state"]
heard = []

for line in sys.stdin:
    text = json.loads(line)["text"]
    heard.append(text)
    match text.split()[0]:
        case "Parallel":
            say("agent", name="shop", instructions="You sell.", tools=TOOLS)
            calls = [{"id": str(n), "name": "look_up", "args": {"order": n}} for n in (7, 8)]
            say("step", author="shop", thought="Both.", calls=calls, model="m-1", usage={"input_tokens": 9})
            results = [
                {"id": "7", "value": {"at": "sea"}},
                {"id": "8", "value": "no such order", "error": True},
            ]
            say("step", author="shop", results=results)
            say("answer", text="7 is at sea.", usage={"input_tokens": 20, "output_tokens": 4})
        case "Transfer":
            say("step", author="shop", calls=[{"id": "1", "name": "transfer_to_refunds"}])
            say("step", author="refunds", text="I refund it.")
            say("answer", author="refunds", text="Refunded.")
        case "Remember":
            state["seen"] = state.get("seen", 0) + 1
            say("answer", text=f"{len(heard)} heard", state=state)
        case "Stream":
            say("piece", text="Here ")
            say("piece", text="it is.")
            say("answer")
        case "Structure":
            say("answer", output={"order": 7, "late": False})
        case "May":
            say("answer", text="Shall I cancel order 7?", question=True)
        case "Limit":
            say("step", calls=[{"name": "look_up"}])
            say("error", message="no answer after 10 moves", code="turn_limit")
        case "Raise":
            raise KeyError("order")
        case "Print":
            sys.stdout.write("hello\n")
            sys.stdout.flush()
        case "Number":
            sys.stdout.write('{"type": "step", "calls": [{"name": "look_up", "args": {"order": NaN}}]}\n')
            sys.stdout.flush()
        case "Halve":
            say("answer", text="\ud83d")
        case "Bytes":
            sys.stdout.buffer.write(b"\xff\xfe\n")
            sys.stdout.flush()
        case "Twice":
            say("answer", text="Once.")
            say("answer", text="Twice.")
        case "Misspell":
            say("answer", txt="x")
        case "Hang":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            Path("pids.json").write_text(json.dumps([os.getpid(), child.pid]))
            say("step", text="I wait.")
            time.sleep(60)
        case "Detach":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"], start_new_session=True)
            say("answer", text="Detached.")
            time.sleep(30)
        case "Signal":
            os.kill(os.getpid(), signal.SIGRTMIN + 3)
        case _:
            say("answer", text=f"You said: {text}")
