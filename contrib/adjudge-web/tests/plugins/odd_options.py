"""Criteria of somebody else's, loaded from this folder, with options that a form has trouble with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

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


class Span(ComponentConfig):
    low: int = 0
    high: int = 10


class Circle(ComponentConfig):
    form: Literal["circle"] = "circle"
    radius: float = 1.0


class Square(ComponentConfig):
    form: Literal["square"] = "square"
    side: float = 1.0


Shape = Annotated[Circle | Square, Field(discriminator="form")]


class PresetConfig(ComponentConfig):
    """Every structure, with a default of its own."""

    spans: tuple[Span, ...] = (Span(low=1, high=2), Span(low=3, high=4))
    caps: dict[str, int] = {"a": 1, "b": 2}
    bounds: Span = Span(low=5, high=6)
    size: int | str = "large"
    shape: Shape = Square(side=2.0)
    made: list[Span] = Field(default_factory=lambda: [Span(low=8, high=9)])
    words: tuple[str, ...] = ("one", "two")
    level: Literal["low", "high"] = "low"
    most: int = Field(default=3, ge=0, le=9)


class ShapesConfig(ComponentConfig):
    """Unions that a constant tells apart, and numbers in rows."""

    shapes: tuple[Shape, ...] = ()
    limit: Literal["none"] | int | None = None
    sizes: tuple[int, ...] = ()
    weights: dict[str, float] = {}


class TreeConfig(ComponentConfig):
    """It contains itself, again and again."""

    label: str = ""
    left: TreeConfig | None = None
    right: TreeConfig | None = None
    above: TreeConfig | None = None
    below: TreeConfig | None = None
    others: tuple[TreeConfig, ...] = ()
    by_name: dict[str, TreeConfig] = {}


class StrangeConfig(ComponentConfig):
    """What it says of itself is valid JSON schema, and nothing that pydantic would write."""

    anything: Any = None

    @classmethod
    def model_json_schema(cls, *_args: Any, **_named: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "$defs": {"Name": True},
            "definitions": {"Old": {"type": "string"}},
            "properties": {
                "anything": True,
                "nothing": False,
                "one_of_all": {"allOf": [{"type": "string"}]},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
                "list_of_what": {"type": "array"},
                "list_of_anything": {"type": "array", "items": True},
                "two_types": {"type": ["string", "null"]},
                "elsewhere": {"$ref": "#/definitions/Old"},
                "nowhere": {"$ref": "#/$defs/Nobody"},
                "a_boolean": {"$ref": "#/$defs/Name"},
                "any_or_null": {"anyOf": [True, {"type": "null"}]},
                "null_alone": {"anyOf": [{"type": "null"}]},
                "no_choice": {"anyOf": []},
                "objects": {"enum": [{"a": 1}, [1]]},
                "bad_default": {"type": "integer", "default": "many"},
            },
        }


class Silent:
    async def score(self, case: CaseUnderTest) -> Measurement:
        del case
        return Measurement(overall=Outcome.scored(1.0))


def make(_config: ComponentConfig, _host: Host) -> Criterion:
    return Silent()


CONFIGS = {"preset": PresetConfig, "shapes": ShapesConfig, "tree": TreeConfig, "strange": StrangeConfig}


@hookimpl.criteria
def criteria() -> list[CriterionSpec]:
    return [
        CriterionSpec(name=name, summary="Odd.", factory=make, config=config, default_threshold=1.0)
        for name, config in CONFIGS.items()
    ]
