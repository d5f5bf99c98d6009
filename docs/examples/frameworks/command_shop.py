"""The shop as a command that speaks JSON Lines."""

import json
import sys

from docs.examples.frameworks import brain

TOKENS = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25}
ORDER = {"type": "object", "properties": {"order": {"type": "integer"}}}
SHOP_TOOLS = [
    {"name": "look_up", "description": brain.look_up.__doc__, "parameters": ORDER},
    {"name": "transfer_to_refunds", "description": "Hands over to the refunds agent."},
]
REFUND = {"name": "refund", "description": brain.refund.__doc__, "parameters": ORDER}


def say(kind, **line):
    """One line."""
    sys.stdout.write(json.dumps({"type": kind, **line}) + "\n")
    sys.stdout.flush()


def answer(name, args):
    """What a tool gives back, and whether it failed."""
    try:
        return getattr(brain, name, lambda: "over to refunds")(**args), False
    except LookupError as error:
        return str(error), True


def main():
    """One case."""
    heard = []
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "session":
            say("agent", name="shop", instructions=brain.SHOP, tools=SHOP_TOOLS)
            say("agent", name="refunds", instructions=brain.REFUNDS, tools=[REFUND])
            continue
        heard.append(("user", message["text"]))
        agent = "shop"
        while not isinstance(thought := brain.think(agent, heard), str):
            calls = [
                {"id": f"{len(heard)}-{n}", "name": name, "args": args}
                for n, (name, args) in enumerate(thought)
            ]
            say("step", author=agent, calls=calls, usage=TOKENS)
            results = []
            for call in calls:
                value, failed = answer(call["name"], call["args"])
                heard.append((call["name"], value))
                results.append({"id": call["id"], "name": call["name"], "value": value, "error": failed})
            say("step", author=agent, results=results)
            if calls[0]["name"] == "transfer_to_refunds":
                agent = "refunds"
        say("answer", text=thought, author=agent, usage=TOKENS)


main()
