"""A question to a judge, its calls, and the decision by votes. Independent of providers."""

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

# --- questions --------------------------------------------------------------------------


class Prompt(Frozen):
    """The fixed instructions of a question: what to decide and how. It contains no data."""

    name: str
    """The name of its file, for instance ``final_response_match_v2``."""
    version: int
    """Increased with every change of its meaning."""
    text: str

    @property
    def sha256(self) -> str:
        """The hash of its text, which is stored in results."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class Passage(Frozen):
    """A part of an exhibit."""

    heading: str
    """A fixed description of the text, for instance ``step 3 result``. Texts cannot imitate headings."""
    text: str
    """Untrusted text of a user, an agent or a tool."""


class Exhibit(Frozen):
    """A text that a judge examines, from a user, an agent or a tool. Always data, never an instruction."""

    name: str
    """The name that the prompt uses for it, for instance ``agent response``."""
    text: str = ""
    passages: tuple[Passage, ...] = ()
    """Parts with headings, after ``text``."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of users, agents and tools in the exhibit."""
        return (self.text, *(passage.text for passage in self.passages))


class JudgedItem(Frozen):
    """One statement that a judge decides."""

    item_id: str
    text: str
    """The statement, for instance the property of a rubric, or a sentence of a response."""
    quoted: bool = False
    """Whether the text is from an agent, a tool or a user. It is then quoted like an exhibit."""
    purpose: str = ""
    """A description by the author, for instance of the item's criterion. It is shown once for adjacent equal ones."""
    kind: str = ""
    """The kind of the item, a word that the prompt explains."""
    cites: tuple[str, ...] | None = None
    """The fields from which its answer may cite; ``None``: those of the question."""


class Choice(Frozen):
    """One possible answer."""

    label: str
    meaning: str
    value: float | None = None
    """The score of this answer. ``None``: the item does not apply, or the judge abstains."""
    abstains: bool = False
    """Whether this answer means that the judge cannot tell."""


VoteRuleName: TypeAlias = Literal["majority", "majority_or_unsure", "median"]
"""The rule by which votes decide; see ``Question.rule``."""


class Question(Frozen):
    """Items that a judge decides from the same exhibits, each with one of the given choices."""

    prompt: Prompt
    exhibits: tuple[Exhibit, ...]
    items: tuple[JudgedItem, ...]
    """Items with different ids."""
    choices: tuple[Choice, ...]
    rule: VoteRuleName = "majority"
    """``majority``: the value with the most votes; in a tie the lower value. ``majority_or_unsure``: the value with
    more than half of the votes (in a panel, of the models), else undecided (``split_votes``). ``median``: the lower
    median."""
    notes: dict[str, str] = {"rationale": "why, in one or two sentences"}
    """Texts that the judge writes for every item before its answer: the name and a description of each."""
    cites: tuple[str, ...] = ()
    """Fields of steps from which answers must cite; empty: no citations are required."""
    instead_of_citing: str | None = None
    """The name of the note that replaces citations if there is nothing to cite."""

    def cites_of(self, item: JudgedItem) -> tuple[str, ...]:
        """The fields from which the answer to an item may cite."""
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
    """One message of a request."""

    role: Literal["system", "user", "assistant"]
    text: str


class JudgeRequest(Frozen):
    """A request for one call to one model. The judge client handles votes, retries and caching."""

    model: str
    """The provider's name for the model, without the backend's prefix."""
    messages: tuple[JudgeMessage, ...]
    schema_: JsonObject | None = None
    """The JSON schema of the answer. The backend uses the provider's own mechanism to enforce it.

    Only objects, all properties required, no additional ones: the subset that all providers support.
    """
    parameters: JsonObject = {}
    """``temperature``, ``top_p``, ``top_k``, ``max_tokens``, ``stop``, ``presence_penalty``, ``frequency_penalty``."""
    provider_options: JsonObject = {}
    """Other keys of ``judge_model_config``, which are passed to the provider unchanged."""
    seed: int | None = None
    """The seed, for providers that support one."""
    key: str = ""
    """The hash of the request without the model and the delimiters."""
    sample: int = 0
    """The number of the vote, from 0."""


class RateLimit(Frozen):
    """The rate limits reported by the provider."""

    remaining_requests: int | None = None
    reset_after: float | None = None
    """Seconds until more requests may be sent."""


class JudgeReply(Frozen):
    """The answer of a model to one request."""

    text: str
    finish_reason: FinishReason = "stop"
    model_version: str | None = None
    """The model version reported by the provider."""
    usage: Usage | None = None
    rate: RateLimit | None = None


# --- votes and decisions ----------------------------------------------------------------


class Vote(Frozen):
    """One answer of one model to one item."""

    model: str
    """As ``provider/model``."""
    sample: int
    label: str | None = None
    """``None``: the vote is lost."""
    notes: dict[str, str] = {}
    citations: tuple[Citation, ...] = ()
    """The valid citations."""
    dropped_citations: int = 0
    """The number of citations that were invalid even after a repair request."""
    lost: str | None = None
    """Why the vote is lost; ``None`` if it has a label."""


class Votes(Frozen):
    """The votes of judges on one item."""

    label: str | None = None
    """The most frequent label with the decided value."""
    tally: dict[str, int] = {}
    """The number of votes by label; ``lost`` counts the lost votes."""
    tie: bool = False
    """Whether two values had the same number of votes; the lower value was then decided."""
    stopped_early: bool = False
    """Whether voting stopped before the allowed number of votes, because the rest could not change the decision."""
    confidence: float | None = None
    """P(the decided value is the majority's | tally) under a uniform prior; uncalibrated."""
    flags: tuple[str, ...] = ()
    """``addresses_judge``: an exhibit addresses the judge; ``invisible_text``: it contained invisible characters."""
    citations: tuple[Citation, ...] = ()
    """The citations of the votes for the decided value, without duplicates."""
    votes: tuple[Vote, ...] = ()
    """In the order of the samples."""


class Decision(Votes):
    """The decision of the votes on one item."""

    item_id: str
    state: Literal["decided", "not_applicable", "unsure", "error"]
    value: float | None = None
    """The decided value; set only if ``state`` is ``decided``."""
    reasoning: str | None = None
    """The rationale of the first vote for ``label``."""
    unsure_code: UnsureCode | None = None
    error: Failure | None = None

    @property
    def cast(self) -> Votes:
        """The votes, without the decision."""
        return Votes(**{name: getattr(self, name) for name in Votes.model_fields})


def total_cost(costs: Iterable[float | None]) -> float | None:
    """The total cost of calls in USD; ``None`` if there is no call, or the cost of one is unknown.

    The sum is rounded, because its last digits depend on the order of the answers.
    """
    listed = list(costs)
    known = [cost for cost in listed if cost is not None]
    return round(sum(known), 9) if known and len(known) == len(listed) else None


class JudgeUse(Frozen):
    """The models, prompts, votes, tokens and cost that a criterion used."""

    models: tuple[str, ...] = ()
    """As ``provider/model``."""
    model_versions: tuple[str, ...] = ()
    """The model versions reported by the providers."""
    prompts: dict[str, str] = {}
    """The SHA-256 of each prompt's text, by name and version, for instance ``name v1``."""
    votes: int = 0
    """The number of used answers, including cached and recorded ones."""
    lost_votes: int = 0
    usage: Usage | None = None
    """The tokens of these answers."""
    cost: float | None = None
    """The cost of these answers in USD, including cached ones; ``None`` if a price is unknown."""
