"""A model behind a real server on this machine, that can do whatever is wrong, and a run that asks it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import random
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adjudge.model.judging import JudgeMessage, JudgeRequest
from adjudge.testing import verdicts

KEY = "sk-loopback-0123456789abcdefABCDEF"


@dataclass
class Asked:
    """One request as the server got it."""

    model: str
    messages: tuple[str, ...]
    seed: int
    headers: dict[str, str]
    at: float
    body: dict[str, Any]

    @property
    def case(self) -> int:
        """The number in the case's question."""
        found = re.search(r"question (\d+)", "\n".join(self.messages))
        assert found, self.messages
        return int(found[1])

    @property
    def vote(self) -> tuple[object, ...]:
        """What makes it a vote of its own."""
        return self.model, self.messages, self.seed


Fault = Callable[["Asked", asyncio.StreamWriter], Awaitable[bool]]
"""Does something wrong; whether the connection can go on."""


@dataclass
class ModelServer:
    """Chat Completions by a program. Everything that tests look at may be read from another thread."""

    label: Callable[[Asked], str] = lambda asked: "valid"
    fault: Callable[[Asked], Fault | None] = lambda asked: None
    text: Callable[[Asked], str] | None = None
    delay: float = 0.0
    together: int = 0
    """Nothing is answered before so many requests have been under way at once."""
    answers: float = math.inf
    """Requests after so many wait until this is set higher."""
    asked: list[Asked] = field(default_factory=list)
    answered: Counter[tuple[object, ...]] = field(default_factory=Counter)
    most_at_once: int = 0
    _under_way: int = 0

    def start(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._over = asyncio.Event()
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(10)
            self._loop.close()

    async def _serve(self) -> None:
        self._connections: set[asyncio.Task[Any]] = set()
        server = await asyncio.start_server(self._connection, sock=self._socket)
        await self._over.wait()
        # A connection that is accepted in the round in which its server closes is lost, and its socket left open.
        await _settled()
        server.close()
        await _settled()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await _settled()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        headers = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])
        }
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        messages = tuple(message["content"] for message in body["messages"])
        asked = Asked(body["model"], messages, body["seed"], headers, time.monotonic(), body)
        self.asked.append(asked)
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            number = len(self.asked)
            while self.most_at_once < self.together or number > self.answers:
                await asyncio.sleep(0.005)
            if self.delay:
                await asyncio.sleep(self.delay)
            fault = self.fault(asked)
            if fault is not None:
                return await fault(asked, writer)
            self.answered[asked.vote] += 1
            return await send(writer, 200, self._answer(asked))
        finally:
            self._under_way -= 1

    def _answer(self, asked: Asked) -> bytes:
        request = JudgeRequest(
            model=asked.model,
            messages=tuple(
                JudgeMessage(role=message["role"], text=message["content"])
                for message in asked.body["messages"]
            ),
            schema_=asked.body["response_format"]["json_schema"]["schema"],
        )
        text = verdicts(request, self.label(asked)) if self.text is None else self.text(asked)
        return chat(text, model=asked.model)


async def _settled() -> None:
    """Connections accepted just now begin, and those aborted just now close, in the next rounds of the loop."""
    for _ in range(5):
        await asyncio.sleep(0)


def chat(text: str | None, *, model: str = "m", **message: Any) -> bytes:
    answer = {
        "id": "x",
        "object": "chat.completion",
        "model": f"{model}-2026-01-01",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return json.dumps(answer).encode()


async def send(writer: asyncio.StreamWriter, status: int, body: bytes, **headers: str) -> bool:
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "content-type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + body)
    await writer.drain()
    return True


# --- faults -----------------------------------------------------------------------------


def status(number: int, body: bytes = b'{"error": {"message": "no"}}', **headers: str) -> Fault:
    async def fault(_: Asked, writer: asyncio.StreamWriter) -> bool:
        return await send(writer, number, body, **headers)

    return fault


def answering(body: bytes) -> Fault:
    return status(200, body)


async def reset(_: Asked, writer: asyncio.StreamWriter) -> bool:
    """The connection is reset in the middle of the body."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + b'{"choices": [')
    await writer.drain()
    raw = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
    return False


async def silence(_: Asked, writer: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(3600)
    return False


async def dripping(_: Asked, writer: asyncio.StreamWriter) -> bool:
    """One byte at a time, slowly enough to be late and quickly enough for any timeout of single reads."""
    body = chat('{"item_1": {"rationale": "", "verdict": "valid"}}')
    writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {len(body)}\r\n\r\n".encode())
    for byte in body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.05)
    return True


async def endless(_: Asked, writer: asyncio.StreamWriter) -> bool:
    """A body of 100 MB."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n")
    with contextlib.suppress(ConnectionError):
        for _ in range(100):
            writer.write(b" " * 2**20)
            await writer.drain()
    return False


# --- a run ------------------------------------------------------------------------------


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A server that ``openai/…`` leads to, with a key."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "ADJUDGE_JUDGE", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)
    server = ModelServer()
    server.start()
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield server
    server.stop()


Prepare = Callable[..., Path]


@pytest.fixture
def judged_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepare:
    """Write an eval set whose recorded answers are judged against references; the working folder is there."""

    def prepare(cases: int, *, timeout: float = 30.0, **options: Any) -> Path:
        rows = [
            {
                "eval_id": f"case-{n}",
                "conversation": [
                    {
                        "user_content": {"role": "user", "parts": [{"text": f"question {n}"}]},
                        "final_response": {"role": "model", "parts": [{"text": f"answer {n}"}]},
                    }
                ],
            }
            for n in range(cases)
        ]
        (tmp_path / "set.evalset.json").write_text(json.dumps({"eval_set_id": "s", "eval_cases": rows}))
        (tmp_path / "bot.py").write_text("def agent(text):\n    return text.replace('question', 'answer')\n")
        criterion = {"threshold": 0.5, "judge_model_options": {"num_samples": 3, **options}}
        config = {"criteria": {"final_response_match_v2": criterion}}
        (tmp_path / "test_config.json").write_text(json.dumps(config))
        (tmp_path / "adjudge.toml").write_text(f'[judge]\nmodel = "openai/m"\ntimeout = {timeout}\n')
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        return tmp_path

    return prepare


def divided(asked: Asked) -> str:
    """Votes that vary from vote to vote, and are the same whenever the same vote is asked for."""
    return "valid" if random.Random(f"{asked.case} {asked.seed}").random() < 0.7 else "invalid"


@pytest.fixture
def command_line(adjudge: Callable[..., Any]) -> Callable[..., Any]:
    """The command line in a process, by a name that does not hide the package."""
    return adjudge


@pytest.fixture
def of_server() -> Any:
    """The functions of this file, for test files, which cannot import it."""
    import sys

    return sys.modules[__name__]
