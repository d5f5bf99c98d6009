"""Simulated users: created for a plan, and called for every message of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from adjudge.adk.personas import persona_of
from adjudge.adk.validation import listed
from adjudge.errors import PluginError, Problem, RunError, UnavailableError
from adjudge.extension.configuration import ComponentConfig
from adjudge.extension.coroutine_guard import awaited
from adjudge.extension.guard import LONGEST, PluginTimeoutError, configured, each, lent, make, returned
from adjudge.extension.judge_use import Ledger, judge_use
from adjudge.extension.plugin_loops import at_home
from adjudge.extension.protocols import CaseFacts, SupportsPlanCheck, UserSimulator
from adjudge.extension.registry import Registered
from adjudge.extension.specs import UserSimulatorSpec
from adjudge.extension.time_limit import not_counted
from adjudge.model.base import JsonObject
from adjudge.model.config import EvalConfig, UserSimulatorEntry
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.invocation import Invocation
from adjudge.model.items import Content, Text
from adjudge.model.simulation import SimulatedConversation, Simulation, UserTurn
from adjudge.runner.case_selection import SelectedFile
from adjudge.runner.criteria import decides_anything
from adjudge.runner.groundwork import Groundwork
from adjudge.runner.plan import PlannedCriterion

_MOST_TURNS: Final = 300
"""The maximum number of messages in one conversation, for any simulator, in case the simulator never stops."""

_NO_MESSAGE: Final = "no_message"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSimulator:
    """A created user simulator that plays the users of many conversations."""

    component: Registered[UserSimulatorSpec]
    config: ComponentConfig
    simulator: UserSimulator
    judges: tuple[JsonObject, ...] = ()
    """The models of every judge that the simulator requested."""
    declared: JsonObject = field(default_factory=dict[str, Any])
    """Other settings that determine its messages, as it declares."""

    def document(self) -> JsonObject:
        """The settings that determine its messages, as JSON."""
        return {
            "simulator": self.component.id,
            **self.component.document(),
            "options": self.config.model_dump(mode="json"),
            "judges": list(self.judges),
            "declared": self.declared,
        }


def plan_simulator(
    config: EvalConfig,
    criteria: Sequence[PlannedCriterion],
    files: Sequence[SelectedFile],
    ground: Groundwork,
) -> PlannedSimulator | None:
    """Create the simulator for the scenarios in ``files``; ``None`` if there are none, or it cannot be created.

    Options in a configuration are checked even if nothing is simulated. A case that no criterion with a
    threshold can measure has no simulated user.
    """
    scenarios = [
        entry
        for file in files
        for entry in file.entries
        if entry.is_scenario and decides_anything(criteria, entry)
    ]
    if not scenarios and config.user_simulator is None:
        return None
    entry = config.user_simulator or UserSimulatorEntry()
    place = {"file": config.source, "path": "$.user_simulator_config"}
    with ground.problems.caught(**place):
        component = ground.extensions.user_simulators.resolve(entry.simulator)
        options = configured(component, entry.options, **place)
        if not scenarios:
            return None
        own = ground.host.for_criterion()
        try:
            simulator = make(component, options, own)
        except UnavailableError as error:
            cases = listed([scenario.eval_id for scenario in scenarios])
            raise UnavailableError(
                [
                    Problem(what=f"the user of {cases} is simulated: {problem.what}", hint=problem.hint)
                    for problem in error.problems
                ]
            ) from None
        if isinstance(simulator, SupportsPlanCheck):
            facts = [
                CaseFacts(eval_id=scenario.eval_id, turns=0, has_persona=scenario.has_persona)
                for scenario in scenarios
            ]
            checking = simulator
            for message in each(component, "check_plan", lambda: checking.check_plan(facts)):
                ground.problems.add(message, **place)
        return PlannedSimulator(
            component=component,
            config=options,
            simulator=simulator,
            judges=tuple(own.judge_documents),
            declared=own.declared,
        )
    return None


class SimulatedUser:
    """The user of one conversation. Its failure is stored, and does not raise in the agent's session."""

    def __init__(self, planned: PlannedSimulator, case: EvalCase, repeat: int) -> None:
        """Play the user of ``case`` with the simulator ``planned``."""
        self._planned = planned
        self._case = case
        self._repeat = repeat
        self._ledger = Ledger()
        self._stop: UserTurn | None = None
        self.failure: Failure | None = None
        """The failure of the simulator."""

    async def next(self, turns: Sequence[Invocation]) -> Content | None:
        """The user's message after ``turns``; ``None`` if the conversation is over, for any reason."""
        # The agent may run on another event loop. The simulator's time does not count toward the agent's limit.
        return await at_home(lambda: not_counted(lambda: self._next(turns)))

    @property
    def fatal(self) -> RunError | None:
        """A failure that affects the whole run: a model cannot be called, a journal cannot be written."""
        error = self._ledger.fatal
        return error if isinstance(error, RunError) else None

    def simulation(self) -> Simulation:
        """Its description in results."""
        scenario = self._case.conversation_scenario
        persona = None if scenario is None else persona_of(scenario)
        return Simulation(
            simulator=self._planned.component.id,
            persona=None if persona is None else persona.id,
            stop_reason=None if self._stop is None else self._stop.stop,
            note=None if self._stop is None else self._stop.note,
            judging=self._ledger.use(),
        )

    async def _next(self, turns: Sequence[Invocation]) -> Content | None:
        turn = await self._asked(turns)
        if turn.fault is None and turn.content is None:
            self._stop = turn
        if (fault := turn.fault or _fault_of(turn, len(turns))) is not None:
            self.failure = Failure(
                code=f"user_{fault.code.removeprefix('user_')}",
                message=fault.message,
                origin=self._planned.component.id,
                retryable=fault.retryable,
            )
            return None
        return turn.content

    async def _asked(self, turns: Sequence[Invocation]) -> UserTurn:
        """The simulator's next turn; a fault if it raises, takes too long or violates its contract."""
        component = self._planned.component
        conversation = SimulatedConversation(case=self._case, invocations=tuple(turns), repeat=self._repeat)
        with judge_use(self._ledger):
            try:
                given = await awaited(
                    component,
                    "next_message",
                    lambda: self._planned.simulator.next_message(lent(component, conversation)),
                    within=LONGEST,
                )
                return returned(component, "next_message", given, UserTurn)
            except PluginTimeoutError as error:
                return UserTurn.failed("timeout", str(error), retryable=True)
            except PluginError as error:
                return UserTurn.failed("raised", str(error))


def _fault_of(turn: UserTurn, said: int) -> Failure | None:
    """The failure of a turn: an empty message, no message at all, or too many; ``said`` counts the earlier messages."""
    note = f": {turn.note}" if turn.note else ""
    if turn.stop is not None:
        if said and turn.stop != _NO_MESSAGE:
            return None
        what = "has nothing to say" if said else "ends the conversation before it begins"
        return Failure(code=_NO_MESSAGE, message=f"the simulated user {what} (turn {said + 1}){note}")
    items = () if turn.content is None else turn.content.items
    if not any(item.text.strip() if isinstance(item, Text) else True for item in items):
        return Failure(code=_NO_MESSAGE, message=f"the message of turn {said + 1} is empty{note}")
    if said >= _MOST_TURNS:
        return Failure(code="endless", message=f"the simulated user goes on after {said} turns")
    return None
