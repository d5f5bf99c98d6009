"""What adjudge asks of every agent adapter."""

from __future__ import annotations

from pathlib import Path

from adjudge.testing import AgentAdapterConformance

AGENT = Path(__file__).parent / "agents" / "home_automation_agent"


class TestAdkAgent(AgentAdapterConformance):
    component = "adk/adk"
    config = {"target": str(AGENT)}
    messages = ("Turn off device_2 in the Bedroom.", "Is it on?")
