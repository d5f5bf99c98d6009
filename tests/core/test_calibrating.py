"""What any calibration, of any file, may do to a verdict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.kit.calibration import Calibration, Curve
from adjudge.model.evaluation import EvaluationResult, GranularityChoice, VotedVerdict
from adjudge.model.judging import JudgeUse
from adjudge.model.verdict import Verdict
from adjudge_plugins.ai_judge.calibration import calibrated

share = st.floats(0, 1)
finite = st.floats(allow_nan=False, allow_infinity=False)
platt = st.builds(Curve, method=st.just("platt"), slope=finite, intercept=finite)
isotonic = st.lists(st.tuples(share, share), min_size=1, unique_by=lambda point: point[0]).map(
    lambda points: Curve(method="isotonic", points=tuple(sorted(points)))
)
calibrations = st.builds(
    Calibration,
    criterion_name=st.just("done"),
    criterion_sha256=st.just("s"),
    judges=st.just(("fake/m",)),
    curve=platt | isotonic,
    rows=st.just(50),
    threshold=st.none() | share,
    fitted_at=st.just("2026-01-01T00:00:00+00:00"),
    labels_sha256=st.just("l"),
)
decided = st.builds(
    EvaluationResult,
    criterion_name=st.just("done"),
    verdict=st.sampled_from([Verdict.PASS, Verdict.FAIL]),
    reasoning=st.just("because"),
    confidence_score=st.floats(0.5, 1),
    used_granularity=st.just("step_level"),
    granularity=st.just(GranularityChoice(name="step_level", reason="-", chosen_by="rules")),
    criterion_sha256=st.just("s"),
    judging=st.just(JudgeUse(models=("fake/m",))),
)


@given(decided, calibrations)
def test_a_verdict_is_kept_or_left_open_and_never_turned_round(
    result: EvaluationResult, calibration: Calibration
) -> None:
    after = calibrated(result, [calibration])

    assert after.calibrated
    assert result.confidence_score is not None
    assert after.before_calibration == VotedVerdict(
        verdict=Verdict(str(result.verdict)), confidence_score=result.confidence_score
    )
    if after.verdict is Verdict.UNSURE:
        assert after.confidence_score is None
        assert after.reason_codes == ("low_confidence",)
    else:
        assert after.verdict is result.verdict
        assert after.confidence_score is not None
        assert max(0.0, calibration.threshold or 0.0) <= after.confidence_score <= 1


@given(decided, calibrations)
def test_what_is_left_open_is_not_calibrated_again(
    result: EvaluationResult, calibration: Calibration
) -> None:
    undecided = result.model_copy(update={"verdict": Verdict.UNSURE, "confidence_score": None})
    assert calibrated(undecided, [calibration]) is undecided
    assert calibrated(result, []) is result
