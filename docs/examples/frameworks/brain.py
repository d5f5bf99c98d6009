"""What the model of every shop in this folder thinks: a program in place of a model, so that nothing costs anything."""

import re

CITIES = {7: "Rome", 8: "Oslo"}
SHOP = "You answer questions about orders. Hand refunds over to the refunds agent."
REFUNDS = "You refund orders."


def look_up(order: int) -> str:
    """Looks up where an order is."""
    if order not in CITIES:
        raise LookupError(f"there is no order {order}")
    return CITIES[order]


def refund(order: int) -> str:
    """Refunds an order."""
    return f"refunded {order}"


def think(agent: str, heard: list[tuple[str, str]], hands_over: bool = True):
    """What the model of an agent does next: an answer, or the calls that it makes.

    ``heard`` is the conversation: ``("user", text)``, and ``(tool, what it gave back)``. Where an agent hands
    nothing over, it has the tool of the other one.
    """
    said = [text for who, text in heard if who == "user"]
    last = max(place for place, (who, _) in enumerate(heard) if who == "user")
    results = [text for who, text in heard[last + 1 :] if who in ("look_up", "refund")]
    orders = [int(number) for number in re.findall(r"\d+", said[-1])]
    if agent == "refunds" or (said[-1].startswith("Refund") and not hands_over):
        return f"Order {orders[0]} is refunded." if results else [("refund", {"order": orders[0]})]
    if said[-1].startswith("Refund"):
        return [("transfer_to_refunds", {})]
    if said[-1].startswith("Which"):
        return f"You asked for order {re.findall('[0-9]+', said[0])[0]} first."
    if not results:
        return [("look_up", {"order": order}) for order in orders]
    places = [next((city for city in CITIES.values() if city in text), None) for text in results]
    told = [
        f"order {order} is in {city}" if city else f"there is no order {order}"
        for order, city in zip(orders, places, strict=True)
    ]
    text = ", ".join(told)
    return f"{text[0].upper()}{text[1:]}."
