"""``replay``: judges that answer from a recording made with ``--record``."""

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
    """Answers as the models of a recording, under their own names. A question that is not recorded is an error."""

    def __init__(self, config: NoConfig, host: Host) -> None:  # noqa: ARG002 - a factory's signature
        self._host = host
        self._recordings: dict[str, Recording] = {}
        self._voices: dict[tuple[str, str], JudgeBackend] = {}

    def missing(self, model: str | None) -> Iterator[str]:
        """Report a file that is missing or is not a recording."""
        if model is not None:
            try:
                self._recording(model)
            except InputError as error:
                yield from (str(problem) for problem in error.problems)

    def model_fingerprint(self, model: str) -> JsonObject:
        """The hash of the recording, so that a run is not resumed with another one."""
        return {} if list(self.missing(model)) else dict(self._recording(model).fingerprint())

    def context(self, model: str) -> int | None:
        """The context window of the recorded judge, so that requests that depend on it are the same."""
        return None if list(self.missing(model)) else self._recording(model).context()

    def recorded(self, model: str, key: str) -> Mapping[str, JudgeBackend]:
        """The models that answered the request ``key``, and the backend that replays each."""
        recording = self._recording(model)
        return {name: self._voice(model, name, recording) for name in recording.models(key)}

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Reject a question that the recording does not hold.

        Raises:
            JudgeError: always.
        """
        raise JudgeError(
            f"the recording {request.model} does not contain this question: the prompts, the eval set, the "
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
    """Replays one model of a recording."""

    def __init__(self, file: str, name: str, recording: Recording) -> None:
        self._file = file
        self._name = name
        self._recording = recording

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Return the recorded reply of this vote.

        Raises:
            JudgeError: the recording does not hold this vote.
        """
        reply = self._recording.reply(request.key, self._name, request.sample)
        if reply is None:
            raise JudgeError(
                f"the recording {self._file} contains no vote {request.sample + 1} of {self._name} on this "
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
