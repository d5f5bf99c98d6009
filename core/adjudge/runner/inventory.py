"""The inventory: installed plugins, components with their options, and the judges that can be called."""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from adjudge.extension.hooks import PROVIDER_HOOKS
from adjudge.extension.loader import Extensions, PluginRecord
from adjudge.extension.project import find_settings, project_extensions
from adjudge.extension.specs import CriterionSpec, JudgeBackendSpec, Need
from adjudge.model.base import JsonObject, JsonValue

if TYPE_CHECKING:
    from adjudge.extension.configuration import ComponentConfig
    from adjudge.extension.registry import Registered
    from adjudge.journal.judge_notes import JudgeNote

_REFERENCES: Final = frozenset(
    {
        Need.EXPECTED_INVOCATIONS,
        Need.REFERENCE_RESPONSE,
        Need.REFERENCE_INTERMEDIATE_RESPONSES,
        Need.FINAL_SESSION_STATE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The installed plugins and components, as JSON. It has names of environment variables, never values."""

    plugins: tuple[JsonObject, ...]
    """Every plugin with ``name``, ``state``, ``reason``, ``distribution``, ``version``, ``module`` and ``components``."""
    components: Mapping[str, tuple[JsonObject, ...]]
    """Components by the name of their hook (``criteria``, ``judge_backends`` …).

    Every component has ``id``, ``name``, ``summary``, its plugin and distribution, ``options`` (descriptions), and
    ``options_schema`` (JSON schema; ``None`` if its class has none). Criteria also have ``needs``, ``value_range``,
    ``lower_is_better`` and ``default_threshold``. Judge backends also have ``example``, ``environment`` and
    ``missing`` (missing requirements; empty if the backend can be called)."""
    commands: Mapping[str, str]
    """Commands added by distributions: the name, and a summary."""
    warnings: tuple[str, ...]


def inventory(*, disable: Iterable[str] = ()) -> Inventory:
    """List what is installed, as seen from the working folder. A failed plugin is an entry with the reason.

    Args:
        disable: Plugins or distributions that are not imported.

    Raises:
        InputError: the project's configuration is invalid.
    """
    from adjudge.extension.commands import listed_commands

    extensions = project_extensions(Path.cwd(), disable=disable, only_listed=True)
    judges = JudgeStates(extensions)

    def facts(hook: str, item: Registered[Any]) -> JsonObject:
        own: JsonObject = {}
        if hook == "criteria":
            own = criterion_facts(item.spec)
        elif hook == "judge_backends":
            own = judges.facts(item)
        return {
            **component_facts(item),
            **own,
            **option_facts(item),
            "options_schema": _options_schema(item.spec.config),
        }

    return Inventory(
        plugins=tuple(map(plugin_facts, extensions.records)),
        components={
            hook: tuple(facts(hook, item) for item in extensions.registries[hook]) for hook in PROVIDER_HOOKS
        },
        commands=listed_commands(),
        warnings=(*extensions.warnings, *judges.warnings),
    )


def plugin_facts(record: PluginRecord) -> JsonObject:
    """A plugin and its state, as JSON."""
    return {
        "name": record.name,
        "state": record.state.value,
        "reason": record.reason,
        "distribution": record.distribution,
        "version": record.version,
        "homepage": homepage_of(record.distribution),
        "module": record.module,
        "seconds": record.seconds,
        "hooks": list(record.hooks),
        "components": list(record.components),
    }


@cache
def homepage_of(distribution: str) -> str | None:
    """The URL of a distribution's home page or repository, from its metadata; ``None`` if it has neither."""
    import importlib_metadata

    try:
        metadata = importlib_metadata.metadata(distribution)
    except Exception:  # the metadata is missing or unreadable, and a listing never fails
        return None
    urls = [
        tuple(part.strip() for part in url.split(",", 1)) for url in metadata.get_all("Project-URL") or ()
    ]
    named = {label.casefold(): url for label, url in (pair for pair in urls if len(pair) == 2)}
    labels = ("homepage", "home", "home page", "repository", "source", "source code", "documentation")
    found = next((named[label] for label in labels if label in named), metadata.get("Home-page"))
    return None if found in (None, "UNKNOWN") else found


def component_facts(item: Registered[Any]) -> JsonObject:
    """A component with its plugin and distribution, as JSON."""
    return {
        "id": item.id,
        "name": item.spec.name,
        "summary": item.spec.summary,
        "plugin": item.owner.name,
        "distribution": item.owner.distribution,
        "distribution_version": item.owner.version,
        "version": item.spec.version,
        "missing_modules": item.spec.absent_modules(),
    }


def criterion_facts(spec: CriterionSpec) -> JsonObject:
    """The requirements, value range and default threshold of a criterion, as JSON."""
    return {
        "reference_based": bool(spec.needs & _REFERENCES),
        "needs_rubrics": Need.RUBRICS in spec.needs,
        "llm_judge": Need.JUDGE in spec.needs,
        "simulated_conversations": spec.simulated_conversations,
        "needs": sorted(spec.needs),
        # JSON has no infinity: null is "no limit".
        "value_range": [bound if math.isfinite(bound) else None for bound in spec.value_range],
        "lower_is_better": spec.lower_is_better,
        "default_threshold": spec.default_threshold,
        "in_adk_default": spec.in_adk_default,
    }


class JudgeStates:
    """The missing requirements of every judge backend, and the measured notes about its models."""

    def __init__(self, extensions: Extensions) -> None:
        """Read the environment files and the notes about models. Problems with them are added to ``warnings``."""
        from adjudge.errors import InputError, RunError
        from adjudge.journal.judge_notes import JudgeNotes
        from adjudge.judge.model_resolution import JudgeModels
        from adjudge.runner.host import RunHost

        folder = Path.cwd()
        host = RunHost(extensions, folder)
        options = find_settings(folder).judge.backends
        self.warnings: list[str] = []
        self._models = JudgeModels(extensions.judge_backends, host, backend_options=options)
        self._notes: tuple[JudgeNote, ...] = ()
        try:
            host.read_environment(agent_folder=None)
        except InputError as error:
            self.warnings.append(str(error))
        try:
            self._notes = JudgeNotes().everything()
        except RunError as error:
            self.warnings.append(str(error))

    def facts(self, item: Registered[JudgeBackendSpec]) -> JsonObject:
        """The environment variables and missing requirements of a backend, as JSON."""
        return {
            "example": item.spec.example,
            "models": list(item.spec.models),
            "environment": list(item.spec.environment),
            "missing": self._models.lacking(item),
            "measured": [note.facts for note in self.notes_of(item)],
        }

    def notes_of(self, item: Registered[JudgeBackendSpec]) -> list[JudgeNote]:
        """The notes about a backend's models."""
        return [note for note in self._notes if note.judge.startswith(f"{item.spec.name}/")]


def option_facts(item: Registered[Any]) -> JsonObject:
    """The options of a component, as JSON."""
    return {"options": _described_options(item.spec.config)}


def _options_schema(model: type[ComponentConfig]) -> JsonObject | None:
    """The JSON schema of the options; ``None`` if the class has types without a JSON schema."""
    try:
        return model.model_json_schema(by_alias=False)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a third-party class may raise anything, and a listing never fails
        return None


def _described_options(model: type[ComponentConfig]) -> list[dict[str, Any]]:
    """Name, type, default and description of every option of ``model``."""
    docstrings = _docstrings(model)
    options: list[dict[str, Any]] = []
    for name, field in model.model_fields.items():
        options.append(
            {
                "name": name,
                "alias": field.alias,
                "type": _type_in_words(field.annotation),
                "required": field.is_required(),
                "default": _default_of(field),
                "description": " ".join((field.description or docstrings.get(name, "")).split()),
            }
        )
    return options


def _default_of(field: FieldInfo) -> JsonValue:
    """The default of an option as JSON; ``None`` if it has none, or the plugin's code for it raises."""
    try:
        default = field.get_default(call_default_factory=True, validated_data={})
        return None if default is PydanticUndefined else to_jsonable_python(default, fallback=repr)
    except KeyboardInterrupt:
        raise
    except BaseException:  # a listing never fails
        return None


def _type_in_words(annotation: Any) -> str:
    if isinstance(annotation, type) and not getattr(annotation, "__args__", ()):
        return annotation.__name__
    # Without module names: ``Literal['a']``, not ``typing.Literal['a']``.
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", str(annotation))


def _docstrings(model: type[ComponentConfig]) -> dict[str, str]:
    """The docstrings of the fields of ``model`` and its bases, by field name.

    Pydantic could collect them when a class is created, but that would parse source code at every start.
    """
    found: dict[str, str] = {}
    own = (cls for cls in reversed(model.__mro__) if issubclass(cls, BaseModel) and cls is not BaseModel)
    for cls in own:
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        except (OSError, TypeError, SyntaxError):
            continue
        statements = body[0].body if body and isinstance(body[0], ast.ClassDef) else []
        for field, below in pairwise(statements):
            match field, below:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = text
                case _:
                    pass
    return found
