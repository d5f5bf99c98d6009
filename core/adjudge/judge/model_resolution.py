"""Model resolution: finds the judge models that a user named."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from adjudge.errors import AdjudgeError, InputError, PluginError, Problem, UnavailableError, UnknownNameError
from adjudge.extension.coroutine_guard import closed
from adjudge.extension.guard import configured, each, guarded, make
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import (
    JudgeBackend,
    SupportsContext,
    SupportsModelCheck,
    SupportsModelIdentity,
    SupportsRecordedCalls,
)
from adjudge.extension.participants import take_part
from adjudge.extension.protocols import Host, SupportsFingerprint
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import JudgeBackendSpec
from adjudge.judge.member import Member
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply
from adjudge.model.step import Usage

VARIABLE: Final = "ADJUDGE_JUDGE"
"""The environment variable that names the default judge."""

_ANY: Final = JudgeReply(text="", usage=Usage(input_tokens=1, output_tokens=1))


@dataclass(slots=True)
class JudgeModels:
    """The models of the installed judge backends. Every backend is created once, and closed by ``aclose``."""

    backends: Registry[JudgeBackendSpec]
    """The installed judge backends."""
    host: Host
    """The host that is passed to the backends' factories."""
    override: Sequence[str] = ()
    """The models of ``--judge``. They replace the models named by criteria."""
    default: Sequence[str] = ()
    """The models of the project's configuration."""
    backend_options: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    """Options of backends, by name."""
    priced: bool = False
    """Whether only models with a known price are accepted."""
    _made: dict[str, tuple[Registered[JudgeBackendSpec], JudgeBackend]] = field(
        default_factory=dict[str, tuple[Registered[JudgeBackendSpec], JudgeBackend]], init=False
    )
    _lacked: dict[tuple[str, str | None], list[str]] = field(
        default_factory=dict[tuple[str, str | None], list[str]], init=False
    )

    @property
    def backend_names(self) -> set[str]:
        """The part before the ``/`` of a model's name."""
        return {item.spec.name for item in self.backends}

    def chosen(self, options: JudgeModelOptions) -> list[Member]:
        """The models named in ``options``, else those of the run, the project or the environment.

        Raises:
            UnavailableError: no model is named, no installed plugin provides it, or a requirement is missing.
            InputError: a name is invalid, or the price for a budget in USD is unknown. The error contains all
                problems, also missing requirements.
        """
        problems: list[Problem] = []
        missing: list[Problem] = []
        found: list[tuple[Registered[JudgeBackendSpec], Member]] = []
        for name in self._names(options):
            try:
                registered, model = self._resolved(name)
                if absent := _absent_modules(registered):
                    raise UnavailableError(_of_judge(name, absent))
                member = self._member(registered, model)
                found.append((registered, member))
                missing += _of_judge(name, self._missing(registered, model))
            except UnavailableError as error:
                # A model named with ``--judge`` must be available, so this is a problem of the run.
                (problems if name in self.override else missing).extend(error.problems)
            except InputError as error:
                problems += error.problems
            except (UnknownNameError, PluginError) as error:
                problems += _of_judge(name, [str(error)])
            else:
                if self.priced and not member.recorded and member.cost(_ANY) is None:
                    problems.append(
                        Problem(
                            what=f"judge {name!r}: its price is not known, so a budget in USD cannot be enforced",
                            hint="Give --max-judge-calls instead.",
                        )
                    )
        if problems:
            raise InputError([*problems, *missing])
        if missing:
            raise UnavailableError(missing)
        for registered, _ in found:
            take_part(registered, self.host)
        return [member for _, member in found]

    def lacking(self, registered: Registered[JudgeBackendSpec]) -> list[str]:
        """Messages about the missing requirements of a backend."""
        try:
            return _absent_modules(registered) or self._missing(registered, None)
        except AdjudgeError as error:
            return [f"cannot be used: {error}"]

    async def aclose(self) -> list[str]:
        """Close the backends, and return messages about failures."""
        return [told for made in self._made.values() if (told := await closed(*made)) is not None]

    def _member(self, registered: Registered[JudgeBackendSpec], model: str) -> Member:
        spec = registered.spec
        backend = self._backend(registered)
        with guarded(registered, "fingerprint", passing=(AdjudgeError,)):
            fingerprint = backend.fingerprint() if isinstance(backend, SupportsFingerprint) else {}
        with guarded(registered, "model_fingerprint", passing=(AdjudgeError,)):
            of_model = backend.model_fingerprint(model) if isinstance(backend, SupportsModelIdentity) else {}
        with guarded(registered, "context", passing=(AdjudgeError,)):
            context = backend.context(model) if isinstance(backend, SupportsContext) else None
        return Member(
            name=f"{spec.name}/{model}",
            model=model,
            backend_name=registered.id,
            backend=backend,
            origin=registered,
            fingerprint={"backend": registered.id, "version": spec.version, **fingerprint, **of_model},
            context=context,
            prices=spec.prices,
            recorded=isinstance(backend, SupportsRecordedCalls),
            prices_of={item.spec.name: item.spec.prices for item in self.backends},
        )

    def _backend(self, registered: Registered[JudgeBackendSpec]) -> JudgeBackend:
        """The backend, created at its first use."""
        if registered.id not in self._made:
            spec = registered.spec
            options = self.backend_options.get(spec.name, {})
            config = configured(registered, options, path=f"judge.backends.{spec.name}")
            self._made[registered.id] = (registered, make(registered, config, self.host, takes_part=False))
        return self._made[registered.id][1]

    def _names(self, options: JudgeModelOptions) -> Sequence[str]:
        named = options.judges or ((options.judge_model,) if options.judge_model else ())
        variable = self.host.environment.get(VARIABLE, "").split(",")
        from_environment = [name.strip() for name in variable if name.strip()]
        if names := self.override or named or self.default or from_environment or self._adk_default():
            return names
        raise UnavailableError(Problem(what="no judge is named, and one is needed", hint=self._ways()))

    def _adk_default(self) -> Sequence[str]:
        """The default judge model of google-adk, if it can be called here; else empty."""
        return [
            f"{registered.spec.name}/{model}"
            for registered in self.backends
            if (model := registered.spec.adk_default) is not None
            and registered.owner.is_built_in
            and not self._missing(registered, model)
        ][:1]

    def _ways(self) -> str:
        """Advice on how to configure a judge: the installed backends with their missing requirements."""
        lines = [
            "Name one with --judge MODEL, in the criterion's judge_model_options.judge_model, as [judge] model "
            f"in adjudge.toml, or in {VARIABLE}. Installed:"
        ]
        for registered in self.backends:
            state = "; ".join(self.lacking(registered)) or "ready"
            lines.append(f"    {registered.spec.example or registered.spec.name + '/MODEL'}: {state}")
        return "\n".join(lines)

    def _missing(self, registered: Registered[JudgeBackendSpec], model: str | None) -> list[str]:
        """The missing requirements of a model. They are cached: a backend may have to query a server."""
        backend = self._backend(registered)
        place = (registered.id, model)
        if place not in self._lacked and isinstance(backend, SupportsModelCheck):
            self._lacked[place] = list(each(registered, "missing", lambda: backend.missing(model)))
        return self._lacked.get(place, [])

    def _resolved(self, name: str) -> tuple[Registered[JudgeBackendSpec], str]:
        """The backend of a model, and the provider's name for it."""
        known = self.backend_names
        for separator in ("/", ":"):
            provider, found, model = name.partition(separator)
            if found and provider in known:
                if not model:
                    raise InputError(Problem(what=f"judge {name!r} names no model after {provider!r}"))
                return self.backends.resolve(provider), model
        matching = [
            item
            for item in self.backends
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in item.spec.models)
        ]
        if len(matching) == 1:
            return matching[0], name
        if matching:
            listed = " and ".join(f"{item.spec.name}/{name}" for item in matching)
            raise InputError(Problem(what=f"judge {name!r} could be {listed}", hint="Write one of these."))
        if "/" in name:
            try:
                self.backends.resolve(name.partition("/")[0])  # raises with the reason
            except (UnknownNameError, PluginError) as error:
                raise UnavailableError(_of_judge(name, [str(error)])) from None
        examples = ", ".join(item.spec.example for item in self.backends if item.spec.example)
        raise UnavailableError(
            Problem(
                what=f"judge {name!r} belongs to no provider that is installed",
                hint=f"Write provider/model, for instance {examples or 'openai/gpt-4o-mini'}; "
                "`adjudge judges` lists the providers.",
            )
        )


def _of_judge(name: str, said: Sequence[str]) -> list[Problem]:
    return [Problem(what=f"judge {name!r}: {message}") for message in said]


def _absent_modules(registered: Registered[JudgeBackendSpec]) -> list[str]:
    """Messages about distributions that the backend needs."""
    absent = registered.spec.absent_modules()
    return [f"needs the module {module!r}, which is not installed" for module in absent]
