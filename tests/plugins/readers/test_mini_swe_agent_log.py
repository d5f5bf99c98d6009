"""A real run of mini-SWE-agent: its commands and what the shell answered, counted in the raw messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

from adjudge import read_log


def test_a_real_run(shared_data: Path) -> None:
    path = shared_data / "more_logs" / "mini_swe_agent" / "local.traj.json"
    messages = json.loads(path.read_text())
    own = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    [run] = read_log(path)
    assert run.goal == messages[1]["content"]
    commands = [
        re.findall(r"```mswea_bash_command\n(.*?)\n```", messages[at]["content"], re.DOTALL) for at in own
    ]
    assert [[call.args for call in step.calls] for step in run.steps] == [
        [{"command": command} for command in found] for found in commands
    ]
    assert [[result.value for result in step.results] for step in run.steps] == [
        [messages[at + 1]["content"]] for at in own
    ]
    details = run.invocations[0].app_details
    assert details is not None
    assert [agent.instructions for agent in details.agent_details.values()] == [messages[0]["content"]]
