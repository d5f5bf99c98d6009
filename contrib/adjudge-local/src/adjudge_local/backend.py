"""The judge backend ``local``: one process for each model, called like an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from adjudge.kit import http_judge
from adjudge.model import JsonObject
from adjudge.plugin import Host, JudgeError, JudgeReply, JudgeRequest
from adjudge_local.config import LocalConfig
from adjudge_local.files import Hub, HubFile, digest, located, problem_of
from adjudge_local.process import ModelServer, serve

_FIXED: Final[JsonObject] = {"cache_prompt": False}
"""With prompts cached, the same question is computed in other pieces, and gets another answer, after other questions."""

_MOST_IN_A_LIST: Final = 4
"""What a list in an answer holds at most. A small model may otherwise cite without end."""


class LocalJudge(http_judge.ChatCompletionsJudge):
    """Judges with models on this machine. Every model's process starts with its first call."""

    def __init__(self, config: LocalConfig, host: Host) -> None:
        """Prepare; nothing is started."""
        super().__init__(config, host)
        self._config = config
        self._folder = host.working_folder
        self._hub = Hub(host.environment)
        self._servers: dict[str, asyncio.Task[tuple[ModelServer, str]]] = {}

    @property
    def at_once(self) -> int:
        """How many calls are worth sending at a time."""
        return self._config.slots

    def context(self, model: str) -> int:  # noqa: ARG002
        """What the options give to each call."""
        return self._config.context

    def missing(self, model: str | None) -> Iterator[str]:
        """The package that runs models, the file, or what would fetch it."""
        if importlib.util.find_spec("xllamacpp") is None:
            yield "package 'xllamacpp' is not installed: pip install xllamacpp"
        if model is None:
            return
        place = located(model, self._folder)
        problem = self._hub.missing(place) if isinstance(place, HubFile) else problem_of(place)
        if problem is not None:
            yield problem

    def fingerprint(self) -> JsonObject:
        """What decides answers besides the model: the library's version and how it computes."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            runtime = version("xllamacpp")
        except PackageNotFoundError:
            runtime = None
        return {
            "xllamacpp": runtime,
            **self._config.model_dump(include={"context", "max_text", "max_tokens", "slots"}),
        }

    def model_fingerprint(self, model: str) -> JsonObject:
        """What the file is. A name on a hub stands for itself: the file may not be here yet."""
        place = located(model, self._folder)
        if isinstance(place, HubFile):
            return {"hub": f"{place.repository}/{place.name}"}
        with contextlib.suppress(OSError):
            return {"content": digest(place)}
        return {}

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One request to the model's process, which is started where it does not run."""
        if taken := sorted(_FIXED.keys() & request.provider_options.keys()):
            raise JudgeError(
                f"judge_model_config cannot set {taken[0]!r} for a local model", code="bad_request"
            )
        server, version = await self._server(request.model)
        asked = request.model_copy(
            update={
                "schema_": request.schema_ and _bounded(request.schema_, self._config.max_text),
                "parameters": {"max_tokens": self._config.max_tokens, **request.parameters},
                "provider_options": {**request.provider_options, **_FIXED},
            }
        )
        try:
            reply = await self.ask(
                f"{server.url}/v1/chat/completions",
                asked,
                headers={"authorization": f"Bearer {server.key}"},
                secrets=[server.key],
            )
        except JudgeError as error:
            if error.code == "context_too_long":
                raise JudgeError(
                    f"{error}. Raise 'context' under [judge.backends.local] (now {self._config.context}) as far "
                    "as the model and the memory allow, or take a model with a longer context",
                    code="context_too_long",
                ) from None
            raise
        return reply.model_copy(update={"model_version": version})

    async def aclose(self) -> None:
        """End all processes."""
        starting, self._servers = list(self._servers.values()), {}
        for task in starting:
            task.cancel()
        for outcome in await asyncio.gather(*starting, return_exceptions=True):
            if not isinstance(outcome, BaseException):
                await outcome[0].aclose()
        await super().aclose()

    async def _server(self, model: str) -> tuple[ModelServer, str]:
        task = self._servers.get(model)
        if task is None or _over(task):
            # A task of its own: whoever asked first may give up while others wait.
            task = self._servers[model] = asyncio.create_task(self._started(model), name="model process")
        return await asyncio.shield(task)

    async def _started(self, model: str) -> tuple[ModelServer, str]:
        place = located(model, self._folder)
        path: Path = await self._hub.fetch(place) if isinstance(place, HubFile) else place
        if problem := problem_of(path):
            raise JudgeError(problem, code="unknown_model")
        return await serve(path, self._config), f"{path.name} {digest(path)[:12]}"


def _over(task: asyncio.Task[Any]) -> bool:
    """Whether a start failed, or what it started has ended."""
    if not task.done():
        return False
    return task.cancelled() or task.exception() is not None or not task.result()[0].running


def _bounded(schema: JsonObject, longest: int) -> JsonObject:
    """The schema with an end to every text and every list: the verdict comes after them, and must still be reached."""
    if schema.get("type") == "string" and "enum" not in schema:
        return {"maxLength": longest, **schema}
    if schema.get("type") == "array":
        return {"maxItems": _MOST_IN_A_LIST, **schema, "items": _bounded(schema["items"], longest)}
    properties: dict[str, JsonObject] = schema.get("properties", {})
    if not properties:
        return schema
    return {**schema, "properties": {name: _bounded(item, longest) for name, item in properties.items()}}
