"""A question to a judge, the calls that it becomes, and what the votes decide. Free of any provider's words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal, Self, TypeAlias

from pydantic import model_validator

from adjudge.model.base import Frozen, JsonObject
from adjudge.model.evidence import Citation, Failure, UnsureCode
from adjudge.model.step import Usage

FinishReason: TypeAlias = Literal["stop", "length", "refusal", "safety", "other"]
"""``refusal``: the model declined; ``safety``: the provider blocked the question or the answer."""

# --- what a criterion asks --------------------------------------------------------------


class Prompt(Frozen):
    """The fixed words of a question: what to decide and how. It has no place for data."""

    name: str
    """The file it comes from, for instance ``final_response_match_v2``."""
    version: int
    """Raised with every change of its meaning."""
    text: str

    @property
    def sha256(self) -> str:
        """The hash of its words; results carry it."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Passage(Frozen):
    """A part of an exhibit."""

    heading: str
    """What it is, in words of ours, for instance ``step 3 result``. No text can imitate one."""
    text: str
    """What somebody said: data."""


class Exhibit(Frozen):
    """A text to look at: what a user, an agent or a tool said. Always data, never an instruction."""

    name: str
    """What it is, as the prompt speaks of it, for instance ``agent response``."""
    text: str = ""
    passages: tuple[Passage, ...] = ()
    """Parts of it under headings, after ``text``."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that somebody said."""
        return (self.text, *(passage.text for passage in self.passages))


class JudgedItem(Frozen):
    """One thing to decide."""

    item_id: str
    text: str
    """What is to be decided: a rubric's property, a sentence."""
    quoted: bool = False
    """Whether the text comes from an agent, a tool or a user: it is set apart as an exhibit is."""
    purpose: str = ""
    """What it belongs to, in the words of its author, for instance a criterion. Shown once for neighbours that have the same."""
    kind: str = ""
    """What sort of item it is, in a word that the prompt explains."""
    cites: tuple[str, ...] | None = None
    """The fields in which its answer may show evidence; ``None``: those of the question."""


class Choice(Frozen):
    """One answer of the menu."""

    label: str
    meaning: str
    value: float | None = None
    """The score that it stands for. ``None``: the item does not apply, or the judge abstains."""
    abstains: bool = False
    """Whether it says that the judge cannot tell."""


VoteRuleName: TypeAlias = Literal["majority", "majority_or_unsure", "median"]
"""How votes decide; see ``Question.rule``."""


class Question(Frozen):
    """Items to decide over the same exhibits, each with one answer of a menu."""

    prompt: Prompt
    exhibits: tuple[Exhibit, ...]
    items: tuple[JudgedItem, ...]
    """With ids that differ."""
    choices: tuple[Choice, ...]
    rule: VoteRuleName = "majority"
    """``majority``: the value with most votes; the lower one on a tie. ``majority_or_unsure``: the same, but
    undecided (``split_votes``) without more than half of the votes, or of a panel's models. ``median``: the lower median."""
    notes: dict[str, str] = {"rationale": "why, in one or two sentences"}
    """Texts asked for with every item, before the answer: name to description."""

    cites: tuple[str, ...] = ()
    """Fields of steps in which an answer must show its evidence; empty: no citation is asked for."""
    instead_of_citing: str | None = None
    """The note that may stand for evidence where there is nothing to cite."""

    def cites_of(self, item: JudgedItem) -> tuple[str, ...]:
        """The fields in which the answer to an item may show its evidence."""
        return self.cites if item.cites is None else item.cites

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if not self.items:
            raise ValueError("a question has at least one item")
        for kind, names in (
            ("item id", [item.item_id for item in self.items]),
            ("label", [choice.label for choice in self.choices]),
        ):
            if len(set(names)) < len(names):
                raise ValueError(f"a question has every {kind} once")
        if self.rule == "median" and any(choice.value is None for choice in self.choices):
            raise ValueError("a median needs a value for every choice")
        return self


# --- one call ---------------------------------------------------------------------------


class JudgeMessage(Frozen):
    """One message of a call."""

    role: Literal["system", "user", "assistant"]
    text: str


class JudgeRequest(Frozen):
    """One call to one model. Votes, retries and caching are the client's business."""

    model: str
    """The provider's name for the model, without the backend's prefix."""
    messages: tuple[JudgeMessage, ...]
    schema_: JsonObject | None = None
    """A JSON schema that the answer must satisfy; the backend uses the provider's own mechanism.

    Objects only, every property required, no further ones: the subset that all providers take.
    """
    parameters: JsonObject = {}
    """``temperature``, ``top_p``, ``top_k``, ``max_tokens``, ``stop``, ``presence_penalty``, ``frequency_penalty``."""
    provider_options: JsonObject = {}
    """What ``judge_model_config`` names besides: handed to the provider as it is."""
    seed: int | None = None
    """For providers that take one."""
    key: str = ""
    """What is asked, as a hash over everything but the model and the delimiters."""
    sample: int = 0
    """Which vote, from 0."""


class RateLimit(Frozen):
    """What the provider says of its limits."""

    remaining_requests: int | None = None
    reset_after: float | None = None
    """Seconds until more may be sent."""


class JudgeReply(Frozen):
    """What the model answered."""

    text: str
    finish_reason: FinishReason = "stop"
    model_version: str | None = None
    """The version that the provider reports."""
    usage: Usage | None = None
    rate: RateLimit | None = None


# --- what the votes decide --------------------------------------------------------------


class Vote(Frozen):
    """One answer of one model to one item."""

    model: str
    """As ``provider/model``."""
    sample: int
    label: str | None = None
    """``None``: the vote is lost."""
    notes: dict[str, str] = {}
    citations: tuple[Citation, ...] = ()
    """Those that hold."""
    dropped_citations: int = 0
    """Those that do not, even after the judge was told."""
    lost: str | None = None
    """Why there is no label."""


class Votes(Frozen):
    """What judges voted on one item."""

    label: str | None = None
    """The most frequent answer among those that stand for the decided value."""
    tally: dict[str, int] = {}
    """Label to votes; ``lost`` counts the lost ones."""
    tie: bool = False
    """Whether two values had the same number of votes, so that the lower one holds."""
    stopped_early: bool = False
    """Whether fewer votes were asked for than allowed, because the rest could not change the decision."""
    confidence: float | None = None
    """P(the decided value is the majority's | tally) under a uniform prior; uncalibrated."""
    flags: tuple[str, ...] = ()
    """``addresses_judge``: an exhibit speaks to its judge; ``invisible_text``: it held invisible characters."""
    citations: tuple[Citation, ...] = ()
    """What the votes for the decided value cite, each place once."""
    votes: tuple[Vote, ...] = ()
    """In the order of the samples."""


class Decision(Votes):
    """What the votes say of one item."""

    item_id: str
    state: Literal["decided", "not_applicable", "unsure", "error"]
    value: float | None = None
    """Set exactly where ``state`` is ``decided``."""
    reasoning: str | None = None
    """The rationale of the first vote for ``label``."""
    unsure_code: UnsureCode | None = None
    error: Failure | None = None

    @property
    def cast(self) -> Votes:
        """The votes alone."""
        return Votes(**{name: getattr(self, name) for name in Votes.model_fields})


def total_cost(costs: Iterable[float | None]) -> float | None:
    """USD of several calls together; ``None`` where there is none, or the price of one is not known.

    Rounded, because the order of a sum's parts depends on who answered first.
    """
    listed = list(costs)
    known = [cost for cost in listed if cost is not None]
    return round(sum(known), 9) if known and len(known) == len(listed) else None


class JudgeUse(Frozen):
    """What a criterion asked of its judges."""

    models: tuple[str, ...] = ()
    """As ``provider/model``."""
    model_versions: tuple[str, ...] = ()
    """What the providers report."""
    prompts: dict[str, str] = {}
    """``name v1`` to the SHA-256 of its words."""
    votes: int = 0
    """Answers used, from wherever they came."""
    lost_votes: int = 0
    usage: Usage | None = None
    """The tokens of those answers."""
    cost: float | None = None
    """What they cost in USD where all their prices are known, whether or not they were paid for this time."""
