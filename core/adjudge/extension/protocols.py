"""The protocols of components, and of the host that they use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from types import ModuleType

    from adjudge.extension.judge_options import JudgeModelOptions
    from adjudge.extension.judge_protocols import InstalledStrategy, Judge, Recording
    from adjudge.model.base import JsonObject, JsonValue
    from adjudge.model.case_under_test import CaseUnderTest
    from adjudge.model.eval_set import EvalCase, SessionInput
    from adjudge.model.invocation import AppDetails, Invocation
    from adjudge.model.items import Content
    from adjudge.model.measurement import Measurement
    from adjudge.model.result import CaseResult, RunInfo, RunSummary
    from adjudge.model.simulation import SimulatedConversation, UserTurn
    from adjudge.model.step import Step
    from adjudge.model.trajectory import Trajectory


class Host(Protocol):
    """The services of the core for components."""

    @property
    def working_folder(self) -> Path:
        """The folder in which relative paths and modules are looked up."""
        ...

    def import_module(self, name: str, folder: Path | None = None) -> ModuleType:
        """Import a module named by an option, from the working folder or the installed packages.

        Args:
            name: The full name of the module.
            folder: The folder to search instead of the working folder.

        Raises:
            InputError: the option is from an untrusted file: one that the user did not name and that is not in the
                agent's folder. Code named by such files is not run.
            BaseException: any exception that the module raises when it is imported.
        """
        ...

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """Read the trajectories of a log with the named trace reader, or the one that recognises its format.

        Raises:
            InputError: no reader recognises the file, or it is invalid.
        """
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables, including those of ``.env`` files. Read API keys from here; do not store them."""
        ...

    def judge(self, options: JudgeModelOptions) -> Judge:
        """The judge that these options select. Call this in the factory, so that the plan includes the judge.

        Raises:
            UnavailableError: no judge is named, or a requirement of it (a key, a server, a file) is missing.
            InputError: the options are wrong.
        """
        ...

    def granularity_strategies(self) -> tuple[InstalledStrategy, ...]:
        """All installed granularity strategies, including third-party ones."""
        ...

    def granularity_strategy(self, name: str) -> InstalledStrategy:
        """The granularity strategy of this name.

        Raises:
            UnknownNameError: no installed strategy has the name, or several have it.
            PluginError: its plugin is not active.
        """
        ...

    def once(self, name: str, make: Callable[[], JsonValue]) -> JsonValue:
        """A value that is computed once at the start of a run, and stays the same when the run is resumed.

        Args:
            name: The name of the value.
            make: Computes the value; not called if the resumed run or another component already has it.
        """
        ...

    def declare(self, document: JsonObject) -> None:
        """Add settings, besides the options, that determine the component's results to the plan. Call it in factories."""
        ...

    def criterion(self, name: str, options: Mapping[str, Any]) -> Criterion:
        """Create another installed criterion with these options, to delegate to it.

        Raises:
            UnknownNameError: no installed criterion has the name.
            UnavailableError: a requirement of the criterion is missing.
            InputError: its options are invalid.
        """
        ...

    def open_recording(self, path: Path) -> Recording:
        """Open a file of judge calls written with ``--record``.

        Raises:
            InputError: there is no such file, or it is not a recording.
        """
        ...


# --- criteria -------------------------------------------------------------------------


class Criterion(Protocol):
    """Measures cases. Created once per run; ``score`` may be called for many cases concurrently."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Measure a case: scores, reasons and evidence. Only the core applies thresholds.

        An exception becomes an ``error`` of this criterion on this case.
        """
        ...


@runtime_checkable
class SupportsPreparation(Protocol):
    """A criterion that prepares data once, before it measures cases."""

    async def prepare(self) -> JsonObject:
        """Prepare the data that all cases share, for instance the checks that a judge writes.

        Returns:
            The prepared data; the run shows it under ``prepared``.

        Raises:
            InputError: the user's input is invalid, which was not detected earlier; the run stops.
        """
        ...


@runtime_checkable
class SupportsTogether(Protocol):
    """A criterion whose instances can measure a case together in one call, for instance with one request to a judge."""

    async def score_together(
        self, instances: Sequence[Criterion], case: CaseUnderTest
    ) -> Sequence[Measurement]:
        """Measure a case; returns one measurement for each instance, in the same order.

        ``instances`` includes this one. In a resumed run it does not include instances that already have a result. An
        exception becomes an ``error`` of every instance.
        """
        ...


@runtime_checkable
class SupportsSiblings(Protocol):
    """A criterion that needs to know the other instances of its component in one configuration."""

    def know_siblings(self, siblings: Sequence[Criterion]) -> None:
        """Receive all instances of the component for the same cases, including this one. Called after their creation.

        Raises:
            InputError: the instances conflict.
        """
        ...


# --- agents ---------------------------------------------------------------------------

Emit: TypeAlias = "Callable[[Step], None]"
"""Called with every step as it happens, so that the steps of a case that times out are not lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """A request to open a session."""

    eval_id: str
    repeat: int
    session_input: SessionInput
    eval_set_id: str | None = None
    """The ``eval_set_id`` in the eval-set file; ``None`` for the older formats, which have none."""
    timeout: float | None = None
    """The time limit of the whole case in seconds; the core enforces it."""
    turns: int | None = None
    """The number of messages that will be sent; ``None`` if it is unknown, because the user is simulated."""


class AgentSession(Protocol):
    """One conversation with an agent. Turns are sent in sequence."""

    async def send(self, content: Content) -> Invocation:
        """Send one user message; returns the invocation with the agent's steps and its answer."""
        ...

    @property
    def state(self) -> Mapping[str, Any] | None:
        """The current session state; ``None`` if the agent does not expose it."""
        ...

    async def aclose(self) -> None:
        """End the session. Called exactly once, also after an error or a timeout."""
        ...


class AgentAdapter(Protocol):
    """Opens sessions with agents of one kind."""

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Open a session. Sessions must be independent: no data may leak from one into another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFacts:
    """The properties of a case that the plan knows before the run."""

    eval_id: str
    turns: int
    """Number of turns of the conversation; 0 for a scenario."""
    repeats: int = 1
    """The number of repeats of the case."""
    has_state: bool = False
    """Whether its session starts with a non-empty state."""
    app_name: str = ""
    """The ``app_name`` of the case; empty if it has none."""
    has_persona: bool = False
    """Whether it is a scenario with a persona for the user."""


@runtime_checkable
class SupportsPlanCheck(Protocol):
    """A component that can find problems of a plan before the first call."""

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterable[str]:
        """Return one message per problem; ``cases`` may be long, and can be iterated only once."""
        ...


@runtime_checkable
class SupportsPlanNotes(Protocol):
    """A component that has warnings about the plan of a run."""

    def plan_notes(self) -> Iterable[str]:
        """Return warnings about the plan, which become warnings of the run; called after ``check_plan``."""
        ...


@runtime_checkable
class SupportsFingerprint(Protocol):
    """A component whose results depend on more than its options, for instance on the content of a file."""

    def fingerprint(self) -> JsonObject:
        """The settings that must be the same when a run is resumed, for instance the hash of a file."""
        ...


@runtime_checkable
class SupportsDescription(Protocol):
    """An agent adapter that can describe the instructions and tools of its agent before any session."""

    async def describe(self) -> AppDetails:
        """The agents with their instructions and declared tools, as far as they are known without a session."""
        ...


@runtime_checkable
class SupportsRecordedUser(Protocol):
    """An agent adapter for recorded sessions, which include the user's messages: no user is simulated."""

    def user_words(self, request: SessionRequest) -> Sequence[Content]:
        """The recorded messages of the user in order; called for cases with a conversation scenario.

        Raises:
            AgentError: there is no such session.
        """
        ...


@runtime_checkable
class SupportsClose(Protocol):
    """A component with resources that must be released; the core closes it at the end of the run."""

    async def aclose(self) -> None:
        """Release all resources, such as connections."""
        ...


# --- trace readers --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A log file to read."""

    path: Path
    mended: Counter[str] = field(default_factory=Counter[str], compare=False, repr=False)
    """Repairs of invalid JSON since the last trajectory, with their counts. They are added to ``Trajectory.lost``."""


SpeakerKind: TypeAlias = Literal["user", "agent", "environment"]
"""The possible authors of messages in a chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a log."""

    task: str | None = None
    """The task, for formats that do not contain it."""
    roles: Mapping[str, SpeakerKind] = field(default_factory=dict[str, SpeakerKind])
    """The author of the messages of a role or name, given by the user. Used by readers with ``maps_roles``."""


class TraceReader(Protocol):
    """Reads log files into trajectories. Data that a trajectory cannot hold is listed in its ``lost``."""

    def sniff(self, head: bytes, path: Path) -> bool:
        """Whether the file seems to have this format. ``head`` is its first 64 KiB, decompressed.

        If several readers recognise a file, the user must name one.
        """
        ...

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """Read the trajectories one at a time.

        Raises:
            InputError: the file is invalid; the problem names the file and the place.
        """
        ...


# --- reporters ------------------------------------------------------------------------


class ReportedCase(Protocol):
    """A finished repeat of a case. ``case`` and ``actual`` are read from the journal only on access."""

    @property
    def result(self) -> CaseResult:
        """The result."""
        ...

    @property
    def case(self) -> EvalCase:
        """The case, with its expectations."""
        ...

    @property
    def actual(self) -> Trajectory:
        """The agent's trajectory; partial if it failed, without turns if it never started."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run for reporters. Iterating over the cases reads them from the journal one at a time."""

    run: RunInfo
    summary: RunSummary
    cases: Callable[[], Iterator[ReportedCase]]
    """Iterates over all repeats of all cases in the order of the plan. It can be called several times."""
    warnings: tuple[str, ...] = field(default=())
    detailed: bool = False
    """Whether the report should show every turn."""
    baseline: RunReport | None = None
    """An earlier run to compare this run with; ``None`` if the user names none."""


class Reporter(Protocol):
    """Writes a run in one format."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the whole report, in a thread of its own and within five minutes.

        The core opens and closes the file, and removes an incomplete one.
        """
        ...


# --- simulated users ------------------------------------------------------------------


class UserSimulator(Protocol):
    """Writes the user's messages in conversation scenarios. Created once per run, used for parallel conversations."""

    async def next_message(self, conversation: SimulatedConversation) -> UserTurn:
        """Write the user's next message, also the first one, or end the conversation.

        It must not keep data between calls: everything that it may use is in ``conversation``.
        """
        ...
