"""What a judge and a granularity strategy can do: the protocols between the core and their plugins."""

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
"""Looks up what is cited for an answer: given the id of the item, the label of the answer and the citation.

Returns ``None`` where it holds, otherwise what is wrong with it, in words of ours."""


class Writer(Protocol):
    """A judge as a strategy sees it: it writes texts about exhibits, and decides nothing."""

    async def write(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str]
    ) -> Mapping[str, str] | None:
        """The texts that the fields ask for; ``None`` where the judge gave none. Nothing of it can be cited.

        Args:
            prompt: What to write, in fixed words.
            exhibits: What to write about: data.
            fields: A name to what is wanted under it, at most a few sentences each.
        """
        ...


class Judge(Writer, Protocol):
    """The judge of one criterion: one model or a panel, with its votes, cache and limits."""

    @property
    def models(self) -> tuple[str, ...]:
        """Who decides, as ``provider/model``."""
        ...

    @property
    def recorded(self) -> bool:
        """Whether recorded calls answer: then in the names of those who were asked."""
        ...

    def lasting(self) -> Judge:
        """The same judge, whose answers are kept for good, over all runs, and taken from there first."""
        ...

    def tokens_beside(self, question: Question) -> int:
        """The most tokens that a request has besides the texts of the exhibits; a repair is included."""
        ...

    async def decide(self, question: Question, *, check: CitationCheck | None = None) -> tuple[Decision, ...]:
        """What the votes say of every item, in the question's order.

        Where the question asks for citations, ``check`` looks each one up. A vote whose citations do not
        hold is asked once more; what does not hold then is dropped, and the vote's answer stays.

        What could not be decided or measured is a state of the decision. An exception that comes out
        of here concerns the whole run, and is not to be caught.
        """
        ...

    async def speak(
        self, prompt: Prompt, exhibits: Sequence[Exhibit], fields: Mapping[str, str], *, sample: int = 0
    ) -> Mapping[str, str] | Failure:
        """Texts in a role, for instance the next words of a simulated user; or why there are none.

        Args:
            prompt: The role, and what to do in it.
            exhibits: What to react to: data.
            fields: A name to what is wanted under it; a text may come out empty.
            sample: Tells calls apart that ask for the same, for instance of the repeats of a case.
        """
        ...


class JudgeBackend(Protocol):
    """One provider's protocol. No retries, votes or cache: the judge client owns those.

    Making one opens no connection and needs no key. Besides ``complete`` a backend may have ``aclose``
    (see ``SupportsClose``), ``fingerprint`` (see ``SupportsFingerprint``; where its calls go, for instance a base
    URL: part of the key of every cached answer), ``missing`` (see ``SupportsModelCheck``), ``recorded``
    (see ``SupportsRecordedCalls``), ``model_fingerprint`` (see ``SupportsModelIdentity``) and ``at_once`` (see
    ``SupportsRateLimit``).
    """

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call to one model, one request to the provider.

        A refusal and a blocked answer are replies with that ``finish_reason``.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        ...


@runtime_checkable
class SupportsModelCheck(Protocol):
    """A judge backend that can say what is missing before it is asked."""

    def missing(self, model: str | None) -> Iterable[str]:
        """One message for everything that is needed and not there: a key, a package, a file, a server.

        Quick, and without a call to a model; looking whether a server on this machine answers is allowed.

        Args:
            model: The model that is to be asked; ``None`` where only the backend is looked at.
        """
        ...


@runtime_checkable
class SupportsModelIdentity(Protocol):
    """A judge backend that knows more of a model than its name, which may be anybody's choice."""

    def model_fingerprint(self, model: str) -> JsonObject:
        """What decides the answers of ``model``, for instance the hash of a file; empty where it is not known.

        Part of the key of every cached answer. Quick; where the model is missing, ``missing`` says so.
        """
        ...


@runtime_checkable
class SupportsRateLimit(Protocol):
    """A judge backend that knows how many calls it can work on; the others wait before their time counts."""

    @property
    def at_once(self) -> int:
        """The most calls that are worth sending at a time; at least 1."""
        ...


@runtime_checkable
class SupportsRecordedCalls(Protocol):
    """A judge backend that answers what other models answered before. Its calls cost nothing and are not cached."""

    def recorded(self, model: str, key: str) -> Mapping[str, JudgeBackend]:
        """Who was asked the question with this key, as ``provider/model``, and what answers in its name.

        Args:
            model: What follows the backend's own name: the file.
            key: ``JudgeRequest.key``.

        Returns:
            In the order of the panel; empty where nobody was asked.
        """
        ...


class Recording(Protocol):
    """Judge calls of an earlier run."""

    def models(self, key: str) -> tuple[str, ...]:
        """Who was asked the question with this key, in the order of the panel."""
        ...

    def reply(self, key: str, model: str, sample: int) -> JudgeReply | None:
        """What ``model`` (``provider/model``) answered in that vote; ``None`` where it was not asked.

        Raises:
            JudgeError: it could not answer then either.
        """
        ...

    def fingerprint(self) -> JsonObject:
        """The hash of what is in the file."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


# --- granularity ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationContext:
    """What a strategy may use besides the trajectory."""

    criterion_name: str
    criterion_description: str = ""
    clusters: Callable[[], Sequence[Cluster]]
    """The sub-tasks of the trajectory; computed when first asked for."""
    writer: Writer | None = None
    """``None``: no judge is configured, and the strategy must be extractive."""
    token_budget: int | None = None
    """The most tokens that the content may have, estimated by ``tokens_of``; ``None``: no limit."""


class GranularityStrategy(Protocol):
    """Turns a trajectory into text at one granularity."""

    async def aggregate(self, trajectory: Trajectory, context: AggregationContext) -> AggregatedSteps:
        """The content, and the mapping from its labels to step numbers."""
        ...


class InstalledStrategy(GranularityStrategy, Protocol):
    """A granularity strategy that is installed, whoever wrote it; it is made when it is first asked.

    ``aggregate`` raises a ``PluginError`` where it raised, took too long, or returned what its contract forbids.
    """

    @property
    def id(self) -> str:
        """As ``plugin/component``."""
        ...

    @property
    def spec(self) -> GranularityStrategySpec:
        """What it says of itself."""
        ...
