"""A criterion of somebody else's, loaded from this folder, with options of every structure."""

from typing import Literal

from adjudge.plugin import (
    CaseUnderTest,
    ComponentConfig,
    Criterion,
    CriterionSpec,
    Host,
    Measurement,
    Outcome,
    hookimpl,
)


class Word(ComponentConfig):
    word: str
    side: Literal["wanted", "unwanted"] = "wanted"


class WeighedWordsConfig(ComponentConfig):
    words: tuple[Word, ...] = ()
    limits: dict[str, int] = {}
    places: tuple[str | int, ...] = ()


class WeighedWords:
    def __init__(self, config: WeighedWordsConfig) -> None:
        self._config = config

    async def score(self, case: CaseUnderTest) -> Measurement:
        said = " ".join(turn.final_response.text for turn in case.actual.invocations if turn.final_response)
        right = [(word.word in said) == (word.side == "wanted") for word in self._config.words]
        right += [said.count(word) <= most for word, most in self._config.limits.items()]
        return Measurement(overall=Outcome.scored(sum(right) / len(right) if right else 0.0))


def make(config: WeighedWordsConfig, _host: Host) -> Criterion:
    return WeighedWords(config)


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    return [
        CriterionSpec(
            name="weighed_words",
            summary="Words.",
            factory=make,
            config=WeighedWordsConfig,
            default_threshold=1.0,
        )
    ]
