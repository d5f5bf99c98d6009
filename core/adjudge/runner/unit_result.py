"""What a unit of a run has come to: the trajectory, what criteria say of it so far, and both as JSON."""

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
    """Decides a unit once, whenever more is known of it, for the journal and for whoever is told."""

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
        """Use ``begun`` or ``resumed``."""
        self.unit = unit
        self.case = case
        self.conversation = conversation
        self.criteria = dict(criteria or {})
        """By number, those that are decided."""
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
        """A unit of which nothing is decided; an error where what the agent did cannot be kept.

        Keys of the environment that the agent or its errors show are masked from here on.

        Args:
            unit: The unit.
            case: Its case.
            run: The name of the run.
            conversation: What the agent did.
            secrets: The keys.
            origin: Whose fault it is where that cannot be kept.
        """
        try:
            conversation, stored = _masked(conversation, secrets)
            # A journal must be readable whatever an agent answers. That it is a trajectory was checked where it came
            # in; how deep it is as a whole, and how long its numbers are, shows here.
            from_json(stored)
        except ValueError as error:
            message = f"the agent's answer holds something that cannot be kept as JSON: {told(error)}"
            unusable = Failure(code="bad_answer", message=message, origin=origin)
            conversation = Conversation(Trajectory(eval_id=case.eval_id), unusable, conversation.duration)
            stored = _dumped(conversation.trajectory)
        return cls(unit, case, run, conversation, secrets=secrets, trajectory=stored)

    @classmethod
    def resumed(
        cls,
        unit: Unit,
        case: EvalCase,
        run: str,
        conversation: Conversation,
        secrets: Secrets,
        criteria: Mapping[int, CriterionResult],
    ) -> UnitResult:
        """A unit whose trajectory the journal has, and the results of some criteria."""
        return cls(unit, case, run, conversation, secrets=secrets, criteria=criteria)

    def add(self, number: int, result: CriterionResult) -> CriterionResult:
        """Note the result of a criterion; an error where it cannot be written and read again."""
        result, self._json[number] = _stored(self.unit.criteria[number], result, self._secrets)
        self.criteria[number] = result
        self._decided = None
        return result

    @property
    def decided(self) -> CaseResult:
        """The result, as far as it is known: what is not measured yet is an error."""
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
        """The result as the journal keeps it."""
        result = self.decided
        outside = result.model_dump_json(exclude_defaults=True, exclude={"criteria"}).encode()
        if not result.criteria:
            return outside
        # Criteria were written when they were measured, to see whether that is possible: not a second time.
        inside = (
            self._json.get(number) or item.model_dump_json(exclude_defaults=True).encode()
            for number, item in enumerate(result.criteria)
        )
        return b'%b,"criteria":[%b]}' % (outside[:-1], b",".join(inside))

    def attempt(self) -> Attempt:
        """All of it as the journal keeps it."""
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


def _masked(conversation: Conversation, secrets: Secrets) -> tuple[Conversation, bytes]:
    """What the agent did without keys of the environment, and the trajectory of it as JSON."""
    trajectory, failure = conversation.trajectory, conversation.failure
    written = _dumped(trajectory)
    stored = secrets.masked_json(written)
    if stored != written:
        trajectory = Trajectory.model_validate_json(stored)
    if failure is not None:
        told = secrets.masked_json(failure.model_dump_json().encode())
        failure = Failure.model_validate_json(told)
    return Conversation(trajectory, failure, conversation.duration), stored


def _stored(
    planned: PlannedCriterion, result: CriterionResult, secrets: Secrets
) -> tuple[CriterionResult, bytes]:
    """The result and its JSON, without keys of the environment.

    An error where the criterion gave what cannot be written and read again.
    """
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
        message = f"the criterion gave something that cannot be kept as JSON: {told(error)} ({origin})"
        failed = criterion_result(
            Measurement(overall=Outcome.failed("criterion_raised", message, origin=origin)), planned.rule
        )
        return failed, failed.model_dump_json(exclude_defaults=True).encode()
