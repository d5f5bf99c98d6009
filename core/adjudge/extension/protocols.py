"""What a component can do, and what it may use: the protocols between the core and plugins."""

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
    """What the core offers to the components that it makes."""

    @property
    def working_folder(self) -> Path:
        """The folder that relative paths and importable modules are looked up in."""
        ...

    def import_module(self, name: str, folder: Path | None = None) -> ModuleType:
        """Import a module that an option names: from the working folder, else from what is installed.

        Args:
            name: Its whole name.
            folder: Where it is looked up, in place of the working folder.

        Raises:
            InputError: the option stands in a file that the user did not name and that does not lie
                beside the agent: what came along with somebody's eval set is not run.
            BaseException: whatever the module raises when it is imported.
        """
        ...

    def read_trajectories(self, path: Path, *, reader: str | None = None) -> Iterator[Trajectory]:
        """The trajectories of a log, read by the installed trace reader that knows its format.

        Raises:
            InputError: no reader knows the file, or it is broken.
        """
        ...

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables, with what ``.env`` files add. Keys come from here and stay here."""
        ...

    def judge(self, options: JudgeModelOptions) -> Judge:
        """The judge that these options choose. Ask in the factory: the plan then knows of it.

        Raises:
            UnavailableError: no judge is named, or what it needs (a key, a server, a file) is missing.
            InputError: the options are wrong.
        """
        ...

    def granularity_strategies(self) -> tuple[InstalledStrategy, ...]:
        """Every granularity strategy that is installed, the third party's included."""
        ...

    def granularity_strategy(self, name: str) -> InstalledStrategy:
        """The one of that name.

        Raises:
            UnknownNameError: nothing installed has the name, or two have it.
            PluginError: its plugin is not active.
        """
        ...

    def once(self, name: str, make: Callable[[], JsonValue]) -> JsonValue:
        """Something that is decided when a run begins and stays so when it is resumed.

        Args:
            name: What it is.
            make: Gives it; not called where an interrupted run has it already, or another component asked first.
        """
        ...

    def declare(self, document: JsonObject) -> None:
        """Say what else decides the results of the component that is being made: it becomes part of the plan."""
        ...

    def criterion(self, name: str, options: Mapping[str, Any]) -> Criterion:
        """Another installed criterion, made with these options: to delegate to, or to build on.

        Raises:
            UnknownNameError: nothing installed has the name.
            UnavailableError: something that it needs is missing.
            InputError: its options are wrong.
        """
        ...

    def open_recording(self, path: Path) -> Recording:
        """The judge calls that ``--record`` wrote to a file.

        Raises:
            InputError: there is no such file, or it is no recording.
        """
        ...


# --- criteria -------------------------------------------------------------------------


class Criterion(Protocol):
    """Measures one case. Made once per run; ``score`` may be called for many cases at a time."""

    async def score(self, case: CaseUnderTest) -> Measurement:
        """Scores, reasons and evidence. The core alone applies thresholds.

        An exception becomes an ``error`` of this criterion on this case.
        """
        ...


@runtime_checkable
class SupportsPreparation(Protocol):
    """A criterion with something to decide once, before it measures any case."""

    async def prepare(self) -> JsonObject:
        """Lock what all cases have in common, for instance checks that a judge writes.

        Returns:
            What was locked; it is shown with the run.

        Raises:
            InputError: what the user gave cannot be used, as shows only now; the run stops before its first case.
        """
        ...


@runtime_checkable
class SupportsTogether(Protocol):
    """A criterion that can measure a case by several of its instances in one call, for instance to ask a judge once."""

    async def score_together(
        self, instances: Sequence[Criterion], case: CaseUnderTest
    ) -> Sequence[Measurement]:
        """One measurement for each instance, in their order; this one is among them.

        Instances whose result is known from before an interruption are left out. An exception is an ``error`` of each.
        """
        ...


@runtime_checkable
class SupportsSiblings(Protocol):
    """A criterion whose instances in one configuration have something in common."""

    def know_siblings(self, siblings: Sequence[Criterion]) -> None:
        """All instances of the component that measure the same cases, this one included; called when all are made.

        Raises:
            InputError: they do not go together.
        """
        ...


# --- agents ---------------------------------------------------------------------------

Emit: TypeAlias = "Callable[[Step], None]"
"""Called with every step as it happens, so that a case that times out keeps what it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """Which session to open."""

    eval_id: str
    repeat: int
    session_input: SessionInput
    eval_set_id: str | None = None
    """The id that the eval set gives itself; ``None`` where it has none (the old shapes)."""
    timeout: float | None = None
    """Seconds that the whole case may take; the core enforces it."""
    turns: int | None = None
    """How many messages the case will send; ``None`` where its user does not say the words of the case."""


class AgentSession(Protocol):
    """One conversation with an agent. Turns are sent one after the other."""

    async def send(self, content: Content) -> Invocation:
        """One turn: the user's message in, what the agent did and answered out."""
        ...

    @property
    def state(self) -> Mapping[str, Any] | None:
        """The session's state now; ``None`` where the agent does not show it."""
        ...

    async def aclose(self) -> None:
        """End the session. Called exactly once, after an error and after a timeout too."""
        ...


class AgentAdapter(Protocol):
    """Turns an agent of some kind into sessions that one can talk to."""

    async def open_session(self, request: SessionRequest, emit: Emit) -> AgentSession:
        """Begin a session. Nothing may leak from one session into another."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFacts:
    """What the plan knows of a case before it runs."""

    eval_id: str
    turns: int
    """Number of turns of the conversation; 0 for a scenario."""
    repeats: int = 1
    """How often the case will run."""
    has_state: bool = False
    """Whether its session starts with a state that is not empty."""
    app_name: str = ""
    """Which app the case is for; empty where it does not say."""
    has_persona: bool = False
    """Whether it is a scenario whose user has a persona."""


@runtime_checkable
class SupportsPlanCheck(Protocol):
    """A component that can say before the first call that a plan cannot work."""

    def check_plan(self, cases: Iterable[CaseFacts]) -> Iterable[str]:
        """One message per problem; ``cases`` may be long and is iterated at most once."""
        ...


@runtime_checkable
class SupportsPlanNotes(Protocol):
    """A component that has warnings about the plan of a run."""

    def plan_notes(self) -> Iterable[str]:
        """What is odd about the plan and not wrong, each a warning of the run; asked after ``check_plan``."""
        ...


@runtime_checkable
class SupportsFingerprint(Protocol):
    """An agent adapter that knows what decides its answers besides its options."""

    def fingerprint(self) -> JsonObject:
        """Whatever must not change between a run and its resumption, for instance the hash of a file."""
        ...


@runtime_checkable
class SupportsDescription(Protocol):
    """An agent adapter that can say what its agent is told and can call, before any session."""

    async def describe(self) -> AppDetails:
        """The agents with their instructions and the tools that they declare; what is decided only in a session is left out."""
        ...


@runtime_checkable
class SupportsRecordedUser(Protocol):
    """An agent adapter whose sessions already happened: it has the words of their users too, and nobody simulates one."""

    def user_words(self, request: SessionRequest) -> Sequence[Content]:
        """What the user of that session said, turn by turn; asked for cases with a conversation scenario.

        Raises:
            AgentError: there is no such session.
        """
        ...


@runtime_checkable
class SupportsClose(Protocol):
    """A component that holds something open; the core closes it at the end of the run."""

    async def aclose(self) -> None:
        """Release what is held."""
        ...


# --- trace readers --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """A log file to read."""

    path: Path
    mended: Counter[str] = field(default_factory=Counter[str], compare=False, repr=False)
    """What was mended in what was read since the last trajectory, and how often; it ends in ``lost``."""


SpeakerKind: TypeAlias = Literal["user", "agent", "environment"]
"""Who can speak in a chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a log."""

    task: str | None = None
    """The goal, for formats that do not name one."""
    roles: Mapping[str, SpeakerKind] = field(default_factory=dict[str, SpeakerKind])
    """Whose the messages of a role or a name are, as the user says it. Read by readers with ``maps_roles``."""


class TraceReader(Protocol):
    """Turns a log file into trajectories, and says what it lost."""

    def sniff(self, head: bytes, path: Path) -> bool:
        """Whether the file looks like this format. ``head`` is its unpacked first 64 KiB.

        A file that two readers know is read by neither until the user names one.
        """
        ...

    def read(self, source: Source, options: ReadOptions) -> Iterator[Trajectory]:
        """The trajectories, one at a time.

        Raises:
            InputError: the file is broken; the problem names the file and the place.
        """
        ...


# --- reporters ------------------------------------------------------------------------


class ReportedCase(Protocol):
    """A finished repeat with everything that can be shown of it.

    ``case`` and ``actual`` may be read from the journal when they are asked for; a reporter that shows
    scores alone never pays for them.
    """

    @property
    def result(self) -> CaseResult:
        """Its result."""
        ...

    @property
    def case(self) -> EvalCase:
        """The case, with what was expected."""
        ...

    @property
    def actual(self) -> Trajectory:
        """What the agent did; partial where it failed, without a turn where it never started."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run as a reporter sees it: of an agent, or over logs. Iterating the cases reads them from the journal one at a time."""

    run: RunInfo
    summary: RunSummary
    cases: Callable[[], Iterator[ReportedCase]]
    """Every repeat of every case in the order of the plan; may be called more than once."""
    warnings: tuple[str, ...] = field(default=())
    detailed: bool = False
    """Whether the user asked for every turn."""


class Reporter(Protocol):
    """Writes a run in one format."""

    def write(self, report: RunReport, stream: BinaryIO) -> None:
        """Write the whole report. The core opens and closes the file, and removes a half-written one."""
        ...


# --- simulated users ------------------------------------------------------------------


class UserSimulator(Protocol):
    """Says what the user of a conversation scenario says. Made once per run, asked for many conversations at a time."""

    async def next_message(self, conversation: SimulatedConversation) -> UserTurn:
        """The user's next message, the first one included, or the end of the conversation.

        It keeps nothing from one call to the next: all that it may know is in ``conversation``.
        """
        ...
