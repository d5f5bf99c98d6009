"""``replay``: judges that answer what was recorded with ``--record``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from adjudge.model import JsonObject
from adjudge.plugin import (
    Host,
    InputError,
    JudgeBackend,
    JudgeBackendSpec,
    JudgeError,
    JudgeReply,
    JudgeRequest,
    NoConfig,
    Recording,
    hookimpl,
)


class ReplayJudge:
    """Every model of a recording, under its own name. What was not asked then is not answered now."""

    def __init__(self, config: NoConfig, host: Host) -> None:  # noqa: ARG002 - a factory's signature
        self._host = host
        self._recordings: dict[str, Recording] = {}
        self._voices: dict[tuple[str, str], JudgeBackend] = {}

    def missing(self, model: str | None) -> Iterator[str]:
        """Whether the file is there, and a recording."""
        if model is not None:
            try:
                self._recording(model)
            except InputError as error:
                yield from (str(problem) for problem in error.problems)

    def model_fingerprint(self, model: str) -> JsonObject:
        """The hash of what is recorded: a run is not resumed with another recording."""
        return {} if list(self.missing(model)) else dict(self._recording(model).fingerprint())

    def recorded(self, model: str, key: str) -> Mapping[str, JudgeBackend]:
        """Who was asked, and what answers in its name."""
        recording = self._recording(model)
        return {name: self._voice(model, name, recording) for name in recording.models(key)}

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Nobody was asked this.

        Raises:
            JudgeError: always.
        """
        raise JudgeError(
            f"the recording {request.model} does not hold this question: the prompts, the eval set, the "
            "agent's answers or the judge's options have changed since; record it again",
            code="not_recorded",
        )

    async def aclose(self) -> None:
        """Close the files."""
        for recording in self._recordings.values():
            recording.close()
        self._recordings.clear()

    def _recording(self, file: str) -> Recording:
        if file not in self._recordings:
            self._recordings[file] = self._host.open_recording(Path(file))
        return self._recordings[file]

    def _voice(self, file: str, name: str, recording: Recording) -> JudgeBackend:
        return self._voices.setdefault((file, name), _Voice(file, name, recording))


class _Voice:
    """One model of a recording."""

    def __init__(self, file: str, name: str, recording: Recording) -> None:
        self._file = file
        self._name = name
        self._recording = recording

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """What the model answered in that vote.

        Raises:
            JudgeError: it was not asked.
        """
        reply = self._recording.reply(request.key, self._name, request.sample)
        if reply is None:
            raise JudgeError(
                f"the recording {self._file} holds no vote {request.sample + 1} of {self._name} on this "
                "question; record it again",
                code="not_recorded",
            )
        return reply


@hookimpl.judge_backends
def judge_backends() -> Iterable[JudgeBackendSpec]:
    """Describe the ``replay`` backend."""
    return [
        JudgeBackendSpec(
            name="replay",
            summary="Answers from a recording of judge calls: replay:FILE",
            factory=ReplayJudge,
            example="replay:FILE",
            prices="",
        )
    ]
