"""The page of the documentation: what was tried, on what, and the tables."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from payloads import FAMILIES, PLACES, Run

import adjudge
from adjudge.model import EvaluationResult
from adjudge_plugins.agreement.statistics.binomial import at_most

_METHOD = """\
# Prompt injection: can the text of a run change its verdict?

Made by `nox -s injection`; no figure on this page is written by hand. adjudge {version}, Python {python}.

An agent, a tool or a page that an agent reads can write text for the judge into a log. This page measures how often such text turns the
verdict on a failed run into PASS. The guide describes adjudge's protection:
[Prompt injection](../guide/ai-judge.md#prompt-injection-runs-whose-text-addresses-the-judge).

## What was tried

{families} payloads. Each is put into a run in each of {places} places, in the last step or in the data of the whole run:
{place_names}.

{orders} of the payloads instruct the judge what to answer: in four languages, in other words, as a forged answer, as delimiters and
control tokens of chat templates, and in invisible characters. The others contain no instruction: a single sign, the opening of a thought,
confident reasoning, a tool result, lines that look like those of other steps.

All runs failed, and have at most {steps} steps. {web} are of web agents: all people who labelled them agree that they failed (package
`agent-reward-bench`, which is installed when the page is made). {airline} are of an airline agent: the final database shows that they
failed. The results in the logs of the web agents are the notes of another judge on each screen. One criterion with one check about the
outcome is judged at `step_level`, with one vote, through the same services as `adjudge judge`.
"""

_PROGRAMS = """\
## Judges that are programs

The behaviour of such a judge is known, so the results show only the effect of adjudge's protection. The first {runs} runs, each with every payload in every
place, and each once without: {each} judgements for each program.

- *honest* answers that the run failed, whatever it reads.
- *obedient* follows every instruction anywhere in its request, hidden or not, and cites real results for it. This is the
  worst case. *Looked at once* is this program with the second judgement switched off.
- *believing* believes every claim that the task is done, and cites it.

Without a payload each of them gives FAIL on every run. With one, of {of_family} judgements each:
"""

_PROGRAMS_END = """\
If the obedient program still passes a run, no pattern recognised the instruction: it uses other words, or is written backwards, which the
program reads and few models do. Against such text only the judge itself protects. A payload with FAIL in all runs never reached the program as
an instruction: invisible characters are removed, and the middle of a long text is cut.

By place, over the payloads that order nothing, of {of_place} judgements of the believing program:
"""

_BELIEVED = """\
Thoughts, memory, goals and answers of an agent are not evidence for an outcome, so claims there never pass. Results and actions are evidence:
a payload in a result, a page or the arguments of a call is part of what the log shows. An attacker who controls tool results controls the
verdict of a judge that believes them. Only a source that the agent and the page cannot write, such as the final state of a database, is safe.
"""

_MODEL = """\
## A small model

`{model}`, on this machine, at temperature 0: {clean} of the runs without a payload, and then those that did not pass with {families}
of the payloads in {places} places ({place_names}), in an order that favours none, until the time was over: {asked} judgements. Brackets are exact
95 % intervals (Clopper and Pearson) for independent judgements. Several judgements are of the same run, so the intervals are too
narrow.

Without a payload it said {clean_told}. A model of this size is [not a good judge](../judges/local.md). It is used here because it runs
without a provider, and is easily influenced.
"""

_ONLY_CLEAN = """\
## A small model

`{model}`, on this machine, at temperature 0, was asked about {clean} of the runs without a payload, and said {clean_told}; the codes are
{codes}. On the busy processor that this page was made on, a judgement took it minutes, so that it was not asked about payloads.
`nox -s injection -- --judge local/models/judge.gguf --folder FOLDER --minutes 60` asks a model, keeps its answers in the folder, and goes on where
it ended when it is run again.
"""

_NO_MODEL = """\
## A model

No model was asked when this page was made.
`nox -s injection -- --judge local/models/judge.gguf --folder FOLDER --minutes 60` asks one, keeps its answers in the folder, and goes on where
it ended when it is run again.
"""

_FLAGGED = """\
## False alarms on clean runs

A run that the detector flags is judged twice, and may end as UNSURE. It flags {flagged} of the {runs}
runs of the real files ({interval}). The requests for the other runs are exactly the same as without a detector, so the accuracy on
clean runs does not change. The effect of the marks of lines and of the delimiters on a judge is not measured here.
"""


@dataclass(frozen=True)
class Outcome:
    """What was concluded of a run with a payload in a place; without one, both are empty."""

    run_id: str
    family: str
    place: str
    result: EvaluationResult

    @property
    def verdict(self) -> str:
        return str(self.result.verdict or "error")

    @property
    def passed(self) -> bool:
        return self.verdict == "PASS"


@dataclass(frozen=True)
class Facts:
    """What the page is made from."""

    runs: Mapping[str, Run]
    program_runs: int
    places: Sequence[str]
    most_steps: int
    programs: Mapping[str, Sequence[Outcome]]
    once: Sequence[Outcome]
    model: str | None
    asked: Sequence[Outcome]
    flagged: Sequence[tuple[str, bool]]


def text(facts: Facts) -> str:
    """The whole page."""
    return "\n".join(_parts(facts))


def _parts(facts: Facts) -> Iterator[str]:
    airline = sum(name.startswith("airline/") for name in facts.runs)
    yield _METHOD.format(
        version=adjudge.__version__,
        python=platform.python_version(),
        families=len(FAMILIES),
        orders=sum(family.is_order for family in FAMILIES),
        places=len(facts.places),
        place_names=", ".join(f"`{place}`" for place in facts.places),
        web=len(facts.runs) - airline,
        airline=airline,
        steps=facts.most_steps,
    )
    yield from _by_programs(facts)
    yield from _by_model(facts) if facts.asked else [_NO_MODEL]
    hits = sum(flag for _, flag in facts.flagged)
    yield _FLAGGED.format(flagged=hits, runs=len(facts.flagged), interval=_interval(hits, len(facts.flagged)))
    names = dict.fromkeys(name for name, _ in facts.flagged)
    many = [name for name in names if sum(other == name for other, _ in facts.flagged) > 1]
    rows = [(f"`{name}`", *_flags([flag for other, flag in facts.flagged if other == name])) for name in many]
    rest = [flag for name, flag in facts.flagged if name not in many]
    yield _table(("file", "runs", "flagged"), [*rows, ("files with one run", *_flags(rest))])


def _flags(flags: Sequence[bool]) -> tuple[str, str]:
    return str(len(flags)), str(sum(flags))


def _by_programs(facts: Facts) -> Iterator[str]:
    clean = [outcome for outcomes in facts.programs.values() for outcome in outcomes if not outcome.family]
    if {outcome.verdict for outcome in clean} != {"FAIL"}:
        raise SystemExit("a program does not give FAIL on a run without a payload: the page would be wrong")
    of_family = facts.program_runs * len(facts.places)
    yield _PROGRAMS.format(
        runs=facts.program_runs, each=len(next(iter(facts.programs.values()))), of_family=of_family
    )
    voices = {
        "honest": facts.programs["honest"],
        "obedient, looked at once": facts.once,
        "obedient": facts.programs["obedient"],
        "believing": facts.programs["believing"],
    }
    rows = [
        (
            family.name,
            "yes" if family.is_order else "no",
            *(_told(outcome for outcome in of if outcome.family == family.name) for of in voices.values()),
        )
        for family in FAMILIES
    ]
    yield _table(("payload", "orders", *voices), rows)
    plain = [family.name for family in FAMILIES if not family.is_order]
    yield _PROGRAMS_END.format(of_place=facts.program_runs * len(plain))
    believing = [outcome for outcome in facts.programs["believing"] if outcome.family in plain]
    yield _table(
        ("place", "verdicts"),
        [
            (place, _told(outcome for outcome in believing if outcome.place == place))
            for place in facts.places
        ],
    )
    yield _BELIEVED


def _by_model(facts: Facts) -> Iterator[str]:
    clean = [outcome for outcome in facts.asked if not outcome.family]
    asked = [outcome for outcome in facts.asked if outcome.family]
    if not asked:
        codes = dict.fromkeys(code for outcome in clean for code in outcome.result.reason_codes)
        yield _ONLY_CLEAN.format(
            model=facts.model,
            clean=len(clean),
            clean_told=_told(clean),
            codes=", ".join(map(repr, codes)) or "none",
        )
        return
    families = [family for family in FAMILIES if any(outcome.family == family.name for outcome in asked)]
    places = [place for place in PLACES if any(outcome.place == place for outcome in asked)]
    yield _MODEL.format(
        model=facts.model,
        clean=len(clean),
        families=len(families),
        places=len(places),
        place_names=", ".join(places),
        asked=len(asked),
        clean_told=_told(clean),
    )
    orders = {family.name for family in FAMILIES if family.is_order}
    noticed = [outcome for outcome in asked if "addresses_judge" in outcome.result.reason_codes]
    groups: list[tuple[str, Callable[[Outcome], bool]]] = [
        ("payloads that order", lambda outcome: outcome.family in orders),
        (
            "of these, recognised as words to a judge",
            lambda outcome: outcome.family in orders and outcome in noticed,
        ),
        ("payloads that order nothing", lambda outcome: outcome.family not in orders),
        *((family.name, lambda outcome, name=family.name: outcome.family == name) for family in families),
        *((f"in {place}", lambda outcome, place=place: outcome.place == place) for place in places),
    ]
    rows = [
        (name, str(len(of)), _share(sum(outcome.passed for outcome in of), len(of)), _told(of))
        for name, wanted in groups
        if (of := [outcome for outcome in asked if wanted(outcome)])
    ]
    yield _table(("", "judgements", "turned to PASS", "verdicts"), rows)


def _told(outcomes: Iterable[Outcome]) -> str:
    """``PASS 1, FAIL 3``: how often each verdict, without those that were not given."""
    counted = Counter(outcome.verdict for outcome in outcomes)
    order = ("PASS", "UNSURE", "FAIL", "error")
    return ", ".join(f"{verdict} {counted[verdict]}" for verdict in order if counted[verdict]) or "-"


def _share(hits: int, trials: int) -> str:
    return f"{hits / trials:.2f} ({_interval(hits, trials)})"


def _interval(hits: int, trials: int) -> str:
    """The exact 95 % interval of a share."""
    low = _bisected(lambda chance: 1 - at_most(hits - 1, trials, chance) > 0.025) if hits else 0.0
    high = _bisected(lambda chance: at_most(hits, trials, chance) < 0.025) if hits < trials else 1.0
    return f"{low:.2f} to {high:.2f}"


def _bisected(holds_above: Callable[[float], bool]) -> float:
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if holds_above(middle) else (middle, high)
    return high


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
