"""Who may talk to the page, and what is left when it dies."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from adjudge_web.work import Runs
from adjudge_web.workers import Workers
from conftest import WalkT
from nicegui.testing import User
from served import served

Walk = Callable[[WalkT], None]
TOKEN = "a-token-of-28-characters-xyz"  # noqa: S105 - of this test


def upgraded(address: str, **headers: str) -> int:
    """The status that a WebSocket is answered with; 101 where it is let in."""
    host = address.removeprefix("http://")
    lines = {
        "Host": host,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        **headers,
    }
    name, _, port = host.partition(":")
    request = "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n"
    request += "".join(f"{key}: {value}\r\n" for key, value in lines.items() if value) + "\r\n"
    with socket.create_connection((name, int(port)), timeout=30) as connection:
        connection.sendall(request.encode())
        return int(connection.recv(1000).split()[1])


def test_other_hosts_and_origins_are_refused_over_http_and_websocket(folder: Path) -> None:
    with served(folder) as address:
        own = {"Origin": address}
        assert httpx.get(address).status_code == 200
        assert upgraded(address, **own) == 101
        for refused in ({"Host": "evil.example"}, {"Host": "127.0.0.1:1"}, {"Origin": "http://evil.example"}):
            assert httpx.get(address, headers=refused).status_code in (403, 421), refused
            assert upgraded(address, **{**own, **refused}) == 403, refused
        assert upgraded(address) == 403
        assert httpx.post(address).status_code == 403
        answer = httpx.get(address)
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-frame-options"] == "DENY"
        assert "set-cookie" not in answer.headers


def test_with_a_token_nobody_else_gets_in(folder: Path) -> None:
    with served(folder, "--token", TOKEN) as address:
        own = {"Origin": address}
        assert httpx.get(address).status_code == 401
        assert httpx.get(f"{address}/?token=wrong").status_code == 401
        assert upgraded(address, **own) == 403
        with httpx.Client() as client:
            let_in = client.get(f"{address}/set?file=weather.evalset.json&token={TOKEN}")
            assert (let_in.status_code, let_in.headers["location"]) == (303, "/set?file=weather.evalset.json")
            cookie = let_in.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert TOKEN not in cookie
            assert client.get(address).status_code == 200
            assert upgraded(address, Cookie=cookie.partition(";")[0], **own) == 101
        astray = httpx.get(f"{address}//evil.example/?token={TOKEN}")
        assert not astray.headers.get("location", "/").startswith("//")


@pytest.mark.parametrize("arguments", [("--host", "192.0.2.1"), ("--token", "short")])
def test_the_page_is_not_opened_to_others_without_a_secret(folder: Path, arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "adjudge", "web", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "token" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_killed_page_leaves_a_run_that_can_be_resumed(folder: Path) -> None:
    """The worker notices that the page is gone, and ends; what was finished is in the journal."""
    program = (
        "import asyncio\n"
        "from adjudge_web.work import Runs\n"
        "from adjudge_web.workers import Workers\n"
        "async def main():\n"
        "    run = Runs(Workers()).begin('killed', do='evaluate', run='killed', agent='sky:slow',"
        " eval_sets=['weather.evalset.json'], config={'criteria': {'response_match_score': 0.5}})\n"
        "    while not run.done:\n"
        "        await asyncio.sleep(0.05)\n"
        "    print('one is done', flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    page = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert page.stdout is not None
    assert page.stdout.readline() == "one is done\n"
    page.send_signal(signal.SIGKILL)
    page.wait(30)
    page.stdout.close()
    (folder / "sky.py").write_text(
        (folder / "sky.py").read_text("utf-8").replace("else 60", "else 0"), "utf-8"
    )
    for _ in range(300):
        # In a process of its own: this one may have imported another module `sky` before.
        command = [sys.executable, "-m", "adjudge", "resume", "killed"]
        resumed = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if "being written" not in resumed.stderr:
            break
        time.sleep(0.2)
    else:
        raise AssertionError("the worker did not end with the page")
    assert resumed.returncode == 0, resumed.stderr
    assert "PASS  2 cases passed" in resumed.stdout


def test_one_users_slow_run_does_not_freeze_the_page_of_another(walk: Walk) -> None:
    async def steps(user: User) -> None:
        workers = Workers()
        runs = Runs(workers)
        blocking = "import time\ndef agent(text):\n    while True: pass\n"
        Path("busy.py").write_text(blocking, "utf-8")
        run = runs.begin(
            "busy", do="evaluate", run="busy", agent="busy:agent", eval_sets=["weather.evalset.json"]
        )
        while not run.has_begun:
            await asyncio.sleep(0.05)
        await user.open("/")
        await user.should_see("weather.evalset.json")
        assert run.outcome is None
        await workers.stop_all()

    walk(steps)


def test_what_an_agent_leaves_running_does_not_hold_the_plan(walk: Walk) -> None:
    async def steps(user: User) -> None:
        del user
        leaving = (
            "import subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(90)'], start_new_session=True)\n"
            "def agent(text):\n    return text\n"
        )
        Path("leaving.py").write_text(leaving, "utf-8")
        asked = Workers().answer(
            do="plan",
            agent="leaving:agent",
            eval_sets=["weather.evalset.json"],
            config={"criteria": {"response_match_score": 0.5}},
        )
        assert "plan" in await asyncio.wait_for(asked, 60)

    walk(steps)
