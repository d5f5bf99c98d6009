"""Conformance tests of judge backends and granularity strategies."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, get_args
from unittest import SkipTest, mock

from adjudge.errors import JudgeError, JudgeErrorCode
from adjudge.extension.judge_protocols import (
    AggregationContext,
    GranularityStrategy,
    JudgeBackend,
    SupportsContext,
    SupportsModelCheck,
    SupportsModelIdentity,
    SupportsRateLimit,
    Writer,
)
from adjudge.extension.protocols import SupportsFingerprint
from adjudge.extension.specs import GranularityStrategySpec, JudgeBackendSpec
from adjudge.kit.digests import tokens_of
from adjudge.model.aggregated import AggregatedSteps, Cluster
from adjudge.model.judging import Exhibit, JudgeMessage, JudgeReply, JudgeRequest, Prompt
from adjudge.model.trajectory import Trajectory
from adjudge.testing.conformance.cases import criterion_cases
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.values import json_object, messages, same_document
from adjudge.testing.conformance.watching import watched
from adjudge.testing.host import FakeHost

_KEY: Final = "key-of-a-test"
_SCHEMA: Final = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


class JudgeBackendConformance(ComponentConformance[JudgeBackendSpec]):
    """Tests of a judge backend. Subclass it and set ``component``. The tests call no provider."""

    kind: ClassVar[str] = "judge_backends"
    model: ClassVar[str] = "adjudge-testing"
    """The name of a model; it is not called."""

    def test_making_one_needs_no_key(self, tmp_path: Path) -> None:
        """Creating a backend needs no key, because plans are checked without keys."""
        absent = {name: value for name, value in os.environ.items() if name not in self.spec.environment}
        with mock.patch.dict(os.environ, absent, clear=True):
            backend: JudgeBackend = self.build(tmp_path)
        assert inspect.iscoroutinefunction(backend.complete), "complete must be `async def`"

    def test_without_a_network_there_is_a_judge_error_and_nothing_else(self, tmp_path: Path) -> None:
        """Without a network ``complete`` raises ``JudgeError``, whose code decides about retries, and nothing else."""
        for environment in ({}, self._secrets()):
            with mock.patch.object(os, "environ", _Noting(os.environ)) as process:
                backend: JudgeBackend = self.made_with(FakeHost(tmp_path, environment=environment), tmp_path)
                self._check_complete(backend)
            own = sorted(process.read & set(self.spec.environment))
            assert not own, (
                f"it reads {', '.join(own)} from os.environ; take it from `host.environment`, which has what `.env` "
                "files say too"
            )

    def _secrets(self) -> dict[str, str]:
        """The variables of the spec that are keys, with a value to look for."""
        return dict.fromkeys(filter(_is_secret, self.spec.environment), _KEY)

    def _with_key(self, folder: Path) -> Any:
        return self.made_with(FakeHost(folder, environment=self._secrets()), folder)

    def _check_complete(self, backend: JudgeBackend) -> None:
        messages = (
            JudgeMessage(role="system", text="Answer the question."),
            JudgeMessage(role="user", text="Is it polite?"),
        )
        request = JudgeRequest(model=self.model, messages=messages, schema_=_SCHEMA)
        try:
            reply = self.awaited(
                "complete", lambda: backend.complete(request), JudgeReply, network="cut off", most_calls=1
            )
        except JudgeError as error:
            assert error.code in get_args(JudgeErrorCode), f"the code {error.code!r} is none of adjudge's"
            assert str(error).strip(), "the JudgeError says nothing"
            assert _KEY not in str(error), f"the message has the key in it: {error}"
        except (AssertionError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise AssertionError(
                f"complete raised {type(error).__name__} where there is no network; expected a JudgeError with a "
                "code, for instance JudgeError(..., code='network')"
            ) from error
        else:
            # A refusal, a blocked answer and a truncated answer may be empty.
            assert reply.text.strip() or reply.finish_reason != "stop", "complete gave an empty answer"

    def test_what_is_missing_is_said_in_messages(self, tmp_path: Path) -> None:
        """``missing`` returns messages, without waiting."""
        for backend in (self.build(tmp_path), self._with_key(tmp_path)):
            if not isinstance(backend, SupportsModelCheck):
                raise SkipTest("it does not say what is missing")
            for model in (None, self.model):
                with watched("missing", network="cut off", never_waits=True):
                    said = messages("missing", backend.missing(model))
                assert not any(_KEY in message for message in said), f"missing has the key in it: {said}"

    def test_its_fingerprints_are_json_and_stay_the_same(self, tmp_path: Path) -> None:
        """Fingerprints are JSON, stable and without keys: they are part of the key of every cached answer."""
        for make in (self.build, self._with_key):
            backend, again = make(tmp_path), make(tmp_path)
            documents: dict[str, dict[str, object]] = {}
            if isinstance(backend, SupportsFingerprint):
                documents["fingerprint"] = same_document(
                    "fingerprint", backend.fingerprint, backend.fingerprint, again.fingerprint
                )
            if isinstance(backend, SupportsModelIdentity):
                call = partial(backend.model_fingerprint, self.model)
                other = partial(again.model_fingerprint, self.model)
                documents["model_fingerprint"] = same_document("model_fingerprint", call, call, other)
            for what, document in documents.items():
                assert _KEY not in json.dumps(document), (
                    f"{what} has the key in it, and runs are stored with it"
                )

    def test_what_a_model_can_be_shown_is_a_number_of_tokens(self, tmp_path: Path) -> None:
        """``context`` returns a positive number of tokens or ``None``."""
        backend = self.build(tmp_path)
        if not isinstance(backend, SupportsContext):
            raise SkipTest("it does not know what its models can be shown")
        with watched("context", network="forbidden", never_waits=True):
            found: object = backend.context(self.model)
        assert found is None or (isinstance(found, int) and found > 0), (
            f"context gave {found!r}; expected a number of tokens from 1, or None"
        )

    def test_the_number_of_calls_at_a_time_is_one_at_least(self, tmp_path: Path) -> None:
        """``at_once`` is at least 1."""
        backend = self.build(tmp_path)
        if not isinstance(backend, SupportsRateLimit):
            raise SkipTest("it has no limit of its own")
        at_once: object = backend.at_once
        assert isinstance(at_once, int) and at_once >= 1, (
            f"at_once is {at_once!r}; expected a whole number from 1"
        )


class GranularityStrategyConformance(ComponentConformance[GranularityStrategySpec]):
    """Tests of a granularity strategy. Subclass it and set ``component``. A fake replaces the judge that writes."""

    kind: ClassVar[str] = "granularity_strategies"

    def test_the_mapping_names_steps_of_the_trajectory(self, tmp_path: Path) -> None:
        """Every label of the mapping refers to existing steps."""
        for trajectory in self._trajectories():
            self._check(self._aggregate(tmp_path, trajectory), trajectory)

    def test_without_a_judge_the_result_never_varies(self, tmp_path: Path) -> None:
        """Without a judge the result depends only on the trajectory, not on the ones before."""
        strategy: GranularityStrategy = self.build(tmp_path)
        for trajectory in self._trajectories():
            first, second = (self._view(strategy, trajectory, token_budget=1000) for _ in range(2))
            assert first == second, "the same run gives another view each time"

    def test_the_token_budget_is_kept(self, tmp_path: Path) -> None:
        """The content never exceeds the token budget, if there is one."""
        for trajectory in self._trajectories():
            for budget in (200, 1000, None):
                content = self._aggregate(tmp_path, trajectory, token_budget=budget).aggregated_content
                tokens = tokens_of(content)
                assert budget is None or tokens <= budget, (
                    f"the content has {tokens} tokens, the budget is {budget}"
                )

    def test_whatever_a_judge_writes_the_contract_holds(self, tmp_path: Path) -> None:
        """The contract also holds if the judge writes nothing, too much, or misleading text."""
        for text in (None, "It went well.", "long " * 5000, "one\nPhase A (Steps 1-2): two\u202e\x00"):
            for trajectory in self._trajectories():
                found = self._aggregate(tmp_path, trajectory, token_budget=1000, writer=_Writer(text))
                self._check(found, trajectory)
                assert tokens_of(found.aggregated_content) <= 1000, "a judge's text breaks the budget"

    def _check(self, found: AggregatedSteps, trajectory: Trajectory) -> None:
        numbers = {step.number for step in trajectory.steps}
        content = found.aggregated_content
        for label, steps in found.step_mapping.items():
            assert set(steps) <= numbers, f"{label!r} names steps that do not exist"
            assert steps or not numbers, f"the label {label!r} leads to no step"
            # A summary of the whole run has one label for all steps, which need not be in the text.
            assert set(steps) == numbers or (label.strip() and label in content), (
                f"the label {label!r} is not in the content"
            )
        assert content.strip() or not numbers, "the content is empty, and the run has steps"
        assert found.step_mapping or not numbers, "no label leads back to a step, and the run has steps"
        assert found.granularity == self.spec.name, "the granularity is not called like the strategy"
        json_object("summary_metadata", found.summary_metadata)

    def _aggregate(
        self,
        folder: Path,
        trajectory: Trajectory,
        *,
        token_budget: int | None = 1000,
        writer: Writer | None = None,
    ) -> AggregatedSteps:
        return self._view(self.build(folder), trajectory, token_budget=token_budget, writer=writer)

    def _view(
        self,
        strategy: GranularityStrategy,
        trajectory: Trajectory,
        *,
        token_budget: int | None,
        writer: Writer | None = None,
    ) -> AggregatedSteps:
        numbers = [step.number for step in trajectory.steps]
        half = (len(numbers) + 1) // 2
        parts = [tuple(part) for part in (numbers[:half], numbers[half:]) if part]
        clusters = tuple(Cluster(name=f"part {at}", steps=part) for at, part in enumerate(parts, 1))
        context = AggregationContext(
            criterion_name="helpfulness",
            clusters=lambda: clusters,
            writer=writer,
            token_budget=token_budget,
        )
        before = trajectory.model_dump_json()
        found = self.awaited("aggregate", lambda: strategy.aggregate(trajectory, context), AggregatedSteps)
        assert trajectory.model_dump_json() == before, "the trajectory was changed"
        return found

    @staticmethod
    def _trajectories() -> list[Trajectory]:
        return [case.actual for case in criterion_cases(simulated=True)]


class _Writer:
    """Writes the same text for every field."""

    def __init__(self, text: str | None) -> None:
        self._text = text

    async def write(
        self,
        prompt: Prompt,  # noqa: ARG002 - a protocol's signature
        exhibits: Sequence[Exhibit],  # noqa: ARG002
        fields: Mapping[str, str],
    ) -> Mapping[str, str] | None:
        return None if self._text is None else dict.fromkeys(fields, self._text)


class _Noting(dict[str, str]):
    """Environment variables that note which of them are read."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        super().__init__(variables)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.read.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.read.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def _is_secret(variable: str) -> bool:
    return any(word in variable.upper() for word in ("KEY", "TOKEN", "SECRET", "PASSWORD"))
