"""The protocols of judges and granularity strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from adjudge.extension.specs import GranularityStrategySpec
    from adjudge.model.aggregated import AggregatedSteps, Cluster
    from adjudge.model.base import JsonObject
    from adjudge.model.evidence import Citation, Failure
    from adjudge.model.judging import Decision, Exhibit, JudgeReply, JudgeRequest, Prompt, Question
    from adjudge.model.trajectory import Trajectory

# --- judges ---------------------------------------------------------------------------


CitationCheck: TypeAlias = "Callable[[str, str, Citation], str | None]"
"""Checks a citation. Arguments: the id of the item, the label of the answer, and the citation. Returns ``None`` if the
citation is valid, otherwise the problem. The judge is shown the problem, so it must be a fixed text."""


class Writer(Protocol):
    """A judge for granularity strategies: it writes texts about exhibits, but makes no decisions."""

    async def write(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        """Let the judge write one text for each field. These texts cannot be cited as evidence.

        Args:
            prompt: The instructions, a fixed text.
            exhibits: The data to write about.
            fields: The name of each text and its description; a text may have a few sentences.

        Returns:
            The texts by name; ``None`` if the judge gave no usable answer.
        """
        ...


class Judge(Writer, Protocol):
    """The judge of one criterion: one model or a panel, with its votes, cache and limits."""

    @property
    def models(self) -> tuple[str, ...]:
        """The voting models, as ``provider/model``."""
        ...

    @property
    def recorded(self) -> bool:
        """Whether answers come from a recording; results then have the names of the recorded models."""
        ...

    @property
    def context(self) -> int | None:
        """The maximum number of tokens of a request and its answer together, for all models; ``None`` if unknown."""
        ...

    def lasting(self) -> Judge:
        """This judge with a permanent cache: answers are stored and reused in all later runs."""
        ...

    def tokens_beside(self, question: Question) -> int:
        """The maximum number of tokens of a request, with a repair but without the texts of the exhibits."""
        ...

    async def decide(self, question: Question, *, check: CitationCheck | None = None) -> tuple[Decision, ...]:
        """Decide every item of the question by votes; returns the decisions in the question's order.

        If the question requires citations, ``check`` verifies each one. If a citation is wrong, the judge is asked
        once more for this vote; citations that are still wrong are dropped, and the answer of the vote is kept.

        Undecided and failed items are states of the decision. An exception affects the whole run: do not catch it.
        """
        ...

    async def speak(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str], *, sample: int = 0
    ) -> Mapping[str, str] | Failure:
        """Let the model write texts in a role, for instance the next message of a simulated user.

        Args:
            prompt: The role, and the instructions for it.
            exhibits: The data to react to.
            fields: The name of each text and its description; a text may be empty.
            sample: Distinguishes otherwise equal calls, for instance those of the repeats of a case.

        Returns:
            The texts by name, or the failure.
        """
        ...


class JudgeBackend(Protocol):
    """Implements one provider's protocol, without retries, votes and cache: these belong to the judge client.

    Creating a backend opens no connection and needs no key. Besides ``complete`` a backend may have ``aclose`` (see
    ``SupportsClose``), ``fingerprint`` (see ``SupportsFingerprint``; the settings that determine its answers, for
    instance a base URL: part of the key of every cached answer), ``missing`` (see ``SupportsModelCheck``),
    ``recorded`` (see ``SupportsRecordedCalls``), ``model_fingerprint`` (see ``SupportsModelIdentity``), ``context``
    (see ``SupportsContext``) and ``at_once`` (see ``SupportsRateLimit``).
    """

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Call one model with one request to the provider.

        A refusal or a blocked answer is a reply with that ``finish_reason``.

        Raises:
            JudgeError: there is no answer; its code is the reason.
        """
        ...


@runtime_checkable
class SupportsModelCheck(Protocol):
    """A judge backend that can report missing requirements before a call."""

    def missing(self, model: str | None) -> Iterable[str]:
        """Return one message for each missing requirement: a key, a package, a file, a server.

        This must be fast and not call a model; checking whether a server on this machine answers is allowed.

        Args:
            model: The model to check; ``None`` to check only the backend.
        """
        ...


@runtime_checkable
class SupportsModelIdentity(Protocol):
    """A judge backend that can identify a model by more than its name, for instance by the hash of a file."""

    def model_fingerprint(self, model: str) -> JsonObject:
        """The identity of ``model``, for instance the hash of a file; empty if unknown.

        It is part of the key of every cached answer. This must be fast, and not raise if the model is missing:
        ``missing`` reports that.
        """
        ...


@runtime_checkable
class SupportsContext(Protocol):
    """A judge backend that knows the context window of its models."""

    def context(self, model: str) -> int | None:
        """The maximum number of tokens of a request to ``model`` and its answer together; ``None`` if unknown.

        A value that is too low is safer than one that is too high: logs are then judged in more parts, whereas the
        provider rejects requests that are too long.
        """
        ...


@runtime_checkable
class SupportsRateLimit(Protocol):
    """A judge backend with a maximum number of parallel calls. Further calls wait; waiting is not part of their time."""

    @property
    def at_once(self) -> int:
        """The maximum number of parallel calls; at least 1."""
        ...


@runtime_checkable
class SupportsRecordedCalls(Protocol):
    """A judge backend that returns recorded answers of other models. Its calls cost nothing and are not cached."""

    def recorded(self, model: str, key: str) -> Mapping[str, JudgeBackend]:
        """The models that were asked the question with this key, each with a backend that returns its answers.

        Args:
            model: The part of the name after the backend's own: the file.
            key: ``JudgeRequest.key``.

        Returns:
            Backends by ``provider/model``, in the order of the panel; empty if no model was asked.
        """
        ...


class Recording(Protocol):
    """Judge calls of an earlier run."""

    def models(self, key: str) -> tuple[str, ...]:
        """The models that were asked the question with this key, in the order of the panel."""
        ...

    def reply(self, key: str, model: str, sample: int) -> JudgeReply | None:
        """The recorded answer of ``model`` (``provider/model``) to one vote; ``None`` if it was not asked.

        Raises:
            JudgeError: the recorded call failed.
        """
        ...

    def context(self) -> int | None:
        """The ``context`` of the recorded judge, so that requests are the same; ``None`` if it was unknown."""
        ...

    def fingerprint(self) -> JsonObject:
        """The hash of the content of the file."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


# --- granularity ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationContext:
    """What a granularity strategy can use besides the trajectory."""

    criterion_name: str
    criterion_description: str = ""
    clusters: Callable[[], Sequence[Cluster]]
    """Returns the sub-tasks of the trajectory; they are computed at the first call."""
    writer: Writer | None = None
    """``None``: no judge is configured, and the strategy must be extractive."""
    token_budget: int | None = None
    """The maximum number of tokens of the content, estimated by ``tokens_of``; ``None``: no limit."""


class GranularityStrategy(Protocol):
    """Turns a trajectory into text at one granularity."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """Return the content, and the mapping from its labels to step numbers."""
        ...


class InstalledStrategy(GranularityStrategy, Protocol):
    """An installed granularity strategy of any plugin; it is created at its first use.

    ``aggregate`` raises ``PluginError`` if the strategy raised an exception, took too long, or violated its contract.
    """

    @property
    def id(self) -> str:
        """The canonical id: ``plugin/component``."""
        ...

    @property
    def spec(self) -> GranularityStrategySpec:
        """The strategy's spec."""
        ...
