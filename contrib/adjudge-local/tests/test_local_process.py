"""The process that runs a model: when it starts, who can use it, and that it never outlives its run."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.plugin import JudgeError, JudgeRequest

Make = Callable[..., Any]
Ask = Callable[..., JudgeRequest]

children = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc to find processes")


def servers(parent: int) -> list[int]:
    """The processes below ``parent`` that run a model."""
    found: list[int] = []
    for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
        for child in map(int, tasks.read_text().split()):
            if b"adjudge_local.server" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """Whether the process ends; given much longer than it needs."""
    for _ in range(600):
        if not alive(pid):
            return True
        time.sleep(0.05)
    return False


@children
def test_one_process_serves_all_calls_and_ends_with_the_backend(
    folder: Path, backend: Make, question: Ask
) -> None:
    made = backend()

    async def run() -> tuple[list[int], list[int], list[int]]:
        before = servers(os.getpid())
        await asyncio.gather(*(made.complete(question(text)) for text in ("One?", "Two?", "Three?")))
        meanwhile = servers(os.getpid())
        await made.aclose()
        return before, meanwhile, servers(os.getpid())

    before, meanwhile, after = asyncio.run(run())

    assert before == []
    assert len(meanwhile) == 1
    assert after == []


@children
def test_whoever_gives_up_first_does_not_stop_the_start_for_others(
    folder: Path, backend: Make, question: Ask
) -> None:
    made = backend()

    async def run() -> str:
        first = asyncio.create_task(made.complete(question("First?")))
        second = asyncio.create_task(made.complete(question("Second?")))
        await asyncio.sleep(0)
        first.cancel()
        text: str = (await second).text
        await made.aclose()
        return text

    assert "verdict" in asyncio.run(run())


@children
def test_a_process_that_was_killed_is_started_again(folder: Path, backend: Make, question: Ask) -> None:
    made = backend()

    async def run() -> bool:
        await made.complete(question("One?"))
        [pid] = servers(os.getpid())
        os.kill(pid, signal.SIGKILL)
        for _ in range(20):  # the first call may meet a broken connection, which adjudge tries again
            try:
                await made.complete(question("Two?"))
            except JudgeError as error:
                assert error.code == "network"
                await asyncio.sleep(0.05)
            else:
                break
        [other] = servers(os.getpid())
        await made.aclose()
        return other != pid

    assert asyncio.run(run())


ORPHAN = """
import asyncio, sys
from pathlib import Path
from adjudge.model import JudgeMessage
from adjudge.plugin import JudgeRequest
from adjudge.testing import FakeHost
from adjudge_local.backend import LocalJudge
from adjudge_local.config import LocalConfig

async def main():
    backend = LocalJudge(LocalConfig(context=512), FakeHost(Path()))
    call = backend.complete(JudgeRequest(
        model=sys.argv[1],
        messages=(JudgeMessage(role="user", text="Say yes."),),
        parameters={"max_tokens": 3},
    ))
    if sys.argv[2] == "answered":
        await call
    else:
        asyncio.create_task(call)
        while not any(task.get_name() == "model process" for task in asyncio.all_tasks()):
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@children
@pytest.mark.parametrize("when", ["answered", "loading"])
def test_no_process_outlives_a_killed_run(when: str, weights: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", ORPHAN, str(weights), when]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
        [pid] = servers(run.pid)
        run.kill()

    assert gone(pid)


@children
def test_nobody_without_the_key_can_ask(weights: Path) -> None:
    from adjudge_local.config import LocalConfig
    from adjudge_local.process import serve

    async def run() -> int:
        server = await serve(weights, LocalConfig(context=512))
        assert server.url.startswith("http://127.0.0.1:")
        request = urllib.request.Request(  # noqa: S310 - on this machine
            f"{server.url}/v1/chat/completions", data=b'{"messages": []}'
        )
        try:
            with pytest.raises(urllib.error.HTTPError) as caught:
                await asyncio.to_thread(urllib.request.urlopen, request)
            caught.value.close()
            return caught.value.code
        finally:
            await server.aclose()

    assert asyncio.run(run()) == 401


def test_no_module_of_the_working_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge_local.config import LocalConfig
    from adjudge_local.process import serve

    for name in ("json", "xllamacpp"):
        (tmp_path / f"{name}.py").write_text("open('was-run', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "broken.gguf"
    model.write_bytes(b"GGUF")

    with pytest.raises(JudgeError, match="cannot be run"):
        asyncio.run(serve(model, LocalConfig(context=512)))

    assert not (tmp_path / "was-run").exists()


def test_calls_are_sent_as_there_are_slots(backend: Make) -> None:
    assert backend().at_once == 1
    assert backend(slots=4).at_once == 4
