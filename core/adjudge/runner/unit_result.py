"""The state of a unit of a run: its trajectory, the results of criteria so far, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import from_json, to_json

from adjudge.extension.secrets import Secrets
from adjudge.journal.run_journal import Attempt
from adjudge.model.base import told
from adjudge.model.eval_set import EvalCase
from adjudge.model.evidence import Failure
from adjudge.model.measurement import Measurement, Outcome
from adjudge.model.result import CaseResult, CriterionResult
from adjudge.model.trajectory import Trajectory
from adjudge.runner.decision import Conversation, decided, not_finished
from adjudge.runner.plan import PlannedCriterion, Unit
from adjudge.verdict.algebra import criterion_result


class UnitResult:
    """The trajectory and results of a unit so far. The decision is computed once per new result."""

    def __init__(
        self,
        unit: Unit,
        case: EvalCase,
        run: str,
        conversation: Conversation,
        *,
        secrets: Secrets,
        trajectory: bytes = b"",
        criteria: Mapping[int, CriterionResult] | None = None,
    ) -> None:
        """Create the result of a unit that the journal has; use ``begun`` for a new one.

        Args:
            unit: The unit.
            case: Its case.
            run: The name of the run.
            conversation: The agent's trajectory.
            secrets: The keys to mask.
            trajectory: The trajectory as JSON, if the journal does not have it yet.
            criteria: The results of criteria so far, by number.
        """
        self.unit = unit
        self.case = case
        self.conversation = conversation
        self.criteria = dict(criteria or {})
        """The results of measured criteria by criterion number."""
        self.is_kept = not trajectory
        """Whether the journal has the trajectory."""
        self._trajectory = trajectory
        self._run = run
        self._secrets = secrets
        self._decided: CaseResult | None = None
        self._json: dict[int, bytes] = {}

    @classmethod
    def begun(
        cls,
        unit: Unit,
        case: EvalCase,
        run: str,
        conversation: Conversation,
        secrets: Secrets,
        origin: str | None,
    ) -> UnitResult:
        """Start a unit with a new trajectory. If the trajectory cannot be stored, the unit's result is an error.

        Keys from the environment are masked in the trajectory and in errors.

        Args:
            unit: The unit.
            case: Its case.
            run: The name of the run.
            conversation: The agent's trajectory.
            secrets: The keys to mask.
            origin: The component that is named in the error if the trajectory cannot be stored.
        """
        try:
            conversation, stored = masked(conversation, secrets)
            # The journal must stay readable whatever an agent answers. The types were checked before; this finds
            # JSON that is nested too deeply or has numbers that are too long.
            from_json(stored)
        except ValueError as error:
            message = f"the agent's answer contains something that cannot be written as JSON: {told(error)}"
            unusable = Failure(code="bad_answer", message=message, origin=origin)
            conversation = Conversation(Trajectory(eval_id=case.eval_id), unusable, conversation.duration)
            stored = _dumped(conversation.trajectory)
        return cls(unit, case, run, conversation, secrets=secrets, trajectory=stored)

    def add(self, number: int, result: CriterionResult) -> CriterionResult:
        """Add the result of a criterion, and return it; an error if it cannot be converted to JSON and back."""
        result, self._json[number] = storable(self.unit.criteria[number], result, self._secrets)
        self.criteria[number] = result
        self._decided = None
        return result

    @property
    def decided(self) -> CaseResult:
        """The result so far. Criteria that are not measured yet are errors."""
        if self._decided is None:
            rules = [item.rule for item in self.unit.criteria]
            self._decided = decided(
                self.unit.origin,
                rules,
                self.unit.repeat,
                self.conversation,
                self.criteria,
                not_finished(self._run),
            )
        return self._decided

    def json(self) -> bytes:
        """The result as JSON for the journal."""
        result = self.decided
        outside = result.model_dump_json(exclude_defaults=True, exclude={"criteria"}).encode()
        if not result.criteria:
            return outside
        # The JSON of measured criteria was already made, to check that it is possible: use it.
        inside = (
            self._json.get(number) or item.model_dump_json(exclude_defaults=True).encode()
            for number, item in enumerate(result.criteria)
        )
        return b'%b,"criteria":[%b]}' % (outside[:-1], b",".join(inside))

    def attempt(self) -> Attempt:
        """The case, the trajectory and the result as a row of the journal."""
        unit, case = self.unit, self.case
        return Attempt(
            place=unit.place,
            eval_id=case.eval_id,
            case=case.model_dump_json(exclude_defaults=True).encode(),
            trajectory=self._trajectory,
            result=self.json(),
            log=None if unit.log_no is None else (unit.log_no, unit.origin.run),
        )


def _dumped(trajectory: Trajectory) -> bytes:
    return trajectory.model_dump_json(exclude_defaults=True).encode()


def masked(conversation: Conversation, secrets: Secrets) -> tuple[Conversation, bytes]:
    """The conversation with masked keys, and its trajectory as JSON."""
    trajectory, failure = conversation.trajectory, conversation.failure
    written = _dumped(trajectory)
    stored = secrets.masked_json(written)
    if stored != written:
        trajectory = Trajectory.model_validate_json(stored)
    if failure is not None:
        told = secrets.masked_json(failure.model_dump_json().encode())
        failure = Failure.model_validate_json(told)
    return Conversation(trajectory, failure, conversation.duration), stored


def storable(
    planned: PlannedCriterion, result: CriterionResult, secrets: Secrets
) -> tuple[CriterionResult, bytes]:
    """The result and its JSON, with masked keys; an error if the result cannot be converted to JSON and back."""
    try:
        written = to_json(result.model_dump(exclude_defaults=True, warnings=False))
        stored = secrets.masked_json(written)
        if stored != written:
            return CriterionResult.model_validate_json(stored), stored
        if planned.component.is_built_in:
            from_json(stored)
        else:
            CriterionResult.model_validate_json(stored)
        return result, stored
    except ValueError as error:
        origin = planned.component.provenance
        message = f"the criterion returned something that cannot be written as JSON: {told(error)} ({origin})"
        failed = criterion_result(
            Measurement(overall=Outcome.failed("criterion_raised", message, origin=origin)), planned.rule
        )
        return failed, failed.model_dump_json(exclude_defaults=True).encode()
