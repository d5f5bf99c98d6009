"""What both documents share, the result of a run and that of judging logs: judges, votes, evidence, failures, plugins."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, with_config

# pydantic reads typing.TypedDict only from Python 3.12 on.
from typing_extensions import TypedDict

Count = Annotated[int, Field(ge=0)]
Position = Annotated[int, Field(ge=1)]

documented = with_config(ConfigDict(use_attribute_docstrings=True))


@documented
class FailureRow(TypedDict):
    """Why something could not be measured."""

    code: str
    """A stable word for programs, for instance `agent_raised`."""
    message: str
    origin: str | None
    """The plugin, agent or provider that failed."""
    retryable: bool
    """Whether `adjudge resume` tries again."""


@documented
class CitationRow(TypedDict):
    """Words that stand in the log."""

    step: int
    field: str
    quote: str


@documented
class AbsenceRow(TypedDict):
    """A range of steps in which a scan found nothing."""

    steps: Annotated[list[int], Field(min_length=2, max_length=2)]
    """First and last step."""
    scan: str


@documented
class EvidenceRow(TypedDict):
    """What supports a score."""

    citations: list[CitationRow]
    absences: list[AbsenceRow]


@documented
class UsageRow(TypedDict):
    """Tokens. `null` is "not reported", never zero."""

    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    tool_use_tokens: int | None


@documented
class VoteRow(TypedDict):
    """One answer of one model to one item."""

    model: str
    """As `provider/model`."""
    sample: Count
    """Which vote of that model, from 0."""
    label: str | None
    """`null`: the vote is lost."""
    notes: dict[str, str]
    """What the judge wrote before its answer, for instance its `rationale`."""
    citations: list[CitationRow]
    """The places of the log that it cites, each found there; empty where none are asked for."""
    dropped_citations: Count
    """How many places it cited that do not hold."""
    lost: str | None
    """Why there is no label."""


@documented
class VotesRow(TypedDict):
    """How a decision came about."""

    label: str | None
    """The most frequent answer among those for the decided value."""
    tally: dict[str, Count]
    """Answers to votes; `lost` counts the lost ones."""
    tie: bool
    """Whether two values had the same number of votes, so that the lower one holds."""
    stopped_early: bool
    """Whether fewer votes were asked for than allowed, because the rest could not change the decision."""
    confidence: float | None
    """P(the decided value is the majority's | tally) under a uniform prior; uncalibrated."""
    flags: list[str]
    """What is odd about what was judged: `addresses_judge`, `invisible_text`."""
    votes: list[VoteRow]


@documented
class RubricScoreRow(TypedDict):
    """One rubric on one turn, or on the case."""

    rubric_id: str
    score: float | None
    """`null` where the rubric does not apply, or could not be decided or judged."""
    rationale: str | None
    state: Literal["scored", "not_applicable", "unsure", "error"]
    unsure_code: str | None
    error: FailureRow | None
    votes: VotesRow | None
    """`null` where no judge was needed."""


@documented
class JudgingRow(TypedDict):
    """What a criterion asked of judges."""

    models: list[str]
    """As `provider/model`."""
    model_versions: list[str]
    """What the providers report."""
    prompts: dict[str, str]
    """Name and version of every prompt, to the SHA-256 of its words."""
    votes: Count
    """Answers used, from wherever they came."""
    lost_votes: Count
    """Votes that failed as a whole."""
    usage: UsageRow | None
    """The tokens of those answers."""
    cost: float | None
    """USD, where all prices are known, whether or not the answers were paid for in this run."""


@documented
class JudgeCallsRow(TypedDict):
    """What one judge model did in a run."""

    calls: Count
    """Calls made, retries not counted."""
    cached: Count
    """Answers that were known already, from the cache or from before an interruption."""
    retries: Count
    failed: Count
    """Calls that were given up."""
    usage: UsageRow | None
    """Tokens of the calls made."""
    cost: float | None
    """USD of the calls made; `null` where a price is not known."""
    items: Count
    """Items that got two votes or more."""
    unanimous: Count
    """Those of them on which all votes agreed."""


@documented
class ParticipantRow(TypedDict):
    """A component of a plugin that took part; or a plugin that observed the run."""

    kind: str
    """`criterion`, `judge backend`, `granularity strategy`, `agent adapter`, `trace reader`, `reporter` or `observer`."""
    component: str
    """As `plugin/component`; of an observer the plugin's name."""
    version: int | None
    """The component's own; `null` for an observer."""
    distribution: str
    distribution_version: str
