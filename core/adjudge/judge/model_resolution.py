"""Choosing a judge: from the names that a user wrote to models that can be asked."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import Final

from adjudge.errors import AdjudgeError, InputError, PluginError, Problem, UnavailableError, UnknownNameError
from adjudge.extension.configuration import validated_config
from adjudge.extension.discovery import OWN_DISTRIBUTION
from adjudge.extension.guard import Origin, closed, each, guarded, make
from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import (
    JudgeBackend,
    SupportsModelCheck,
    SupportsModelIdentity,
    SupportsRecordedCalls,
)
from adjudge.extension.participants import take_part
from adjudge.extension.protocols import Host, SupportsFingerprint
from adjudge.extension.registry import Registered, Registry
from adjudge.extension.specs import JudgeBackendSpec
from adjudge.judge.client import JudgeClient, Member, ReplyStore
from adjudge.judge.client_judge import ClientJudge
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply
from adjudge.model.step import Usage

VARIABLE: Final = "ADJUDGE_JUDGE"
"""The environment variable that names the judge where nothing else does."""

_ANY: Final = JudgeReply(text="", usage=Usage(input_tokens=1, output_tokens=1))


class Judges:
    """Makes the judges of a run. Every backend is made once and closed at the end."""

    def __init__(
        self,
        backends: Registry[JudgeBackendSpec],
        client: JudgeClient,
        host: Host,
        *,
        override: Sequence[str] = (),
        default: Sequence[str] = (),
        backend_options: Mapping[str, JsonObject] | None = None,
        priced: bool = False,
        for_good: ReplyStore | None = None,
    ) -> None:
        """Choose among ``backends``.

        Args:
            backends: The judge backends that are installed.
            client: What asks them.
            host: What their factories are given.
            override: The models of ``--judge``: they replace whatever a criterion names.
            default: The models of the project's configuration.
            backend_options: Options of backends, by name.
            priced: Whether only models with a known price will do.
            for_good: Where lasting judges keep what they answer.
        """
        self._priced = priced
        self._for_good = for_good
        self._backends = backends
        self._client = client
        self._host = host
        self._override = tuple(override)
        self._default = tuple(default)
        self._backend_options = dict(backend_options or {})
        self._made: dict[str, tuple[Registered[JudgeBackendSpec], JudgeBackend]] = {}
        self._lacked: dict[tuple[str, str | None], list[str]] = {}
        self.troubles: list[str] = []
        """What went wrong when backends were closed."""

    def judge(self, options: JudgeModelOptions) -> ClientJudge:
        """The judge that ``options`` choose, or the run, the project or the environment.

        Raises:
            UnavailableError: none is named, nothing installed knows a name, or something is missing.
            InputError: a name means nothing, or no price is known for a budget in USD. Every problem is in the
                error, those of something missing too.
        """
        problems: list[Problem] = []
        missing: list[Problem] = []
        members: list[Member] = []
        for name in self._names(options):
            try:
                member = self.member(name)
            except UnavailableError as error:
                # What the user names for this run is meant to be there.
                (problems if name in self._override else missing).extend(error.problems)
                continue
            except (UnknownNameError, PluginError) as error:
                problems.append(Problem(what=str(error)))
                continue
            except InputError as error:
                problems += error.problems
                continue
            if isinstance(member.backend, SupportsModelCheck):
                try:
                    lacking = self._missing(member.backend_name, member.origin, member.backend, member.model)
                    missing += [Problem(what=f"judge {name!r}: {message}") for message in lacking]
                except PluginError as error:
                    problems.append(Problem(what=f"judge {name!r}: {error}"))
            if self._priced and not member.recorded and member.cost(_ANY) is None:
                problems.append(
                    Problem(
                        what=f"judge {name!r}: its price is not known, so a budget in USD cannot hold",
                        hint="Give --max-judge-calls instead.",
                    )
                )
            members.append(member)
        if problems:
            raise InputError([*problems, *missing])
        if missing:
            raise UnavailableError(missing)
        for member in members:
            take_part(self._made[member.backend_name][0], self._host)
        return ClientJudge(self._client, members, options, for_good=self._for_good)

    def member(self, name: str) -> Member:
        """The model of that name.

        Raises:
            UnavailableError: no active backend has a model of that name, or a module that it needs is missing.
            InputError: several backends have one, or the name has no model.
            UnknownNameError: the name of a backend is shared by two plugins.
        """
        registered, model = self._resolved(name)
        if absent := _absent_modules(registered):
            raise UnavailableError([Problem(what=f"judge {name!r}: {message}") for message in absent])
        spec = registered.spec
        backend = self.backend(registered)
        with guarded(registered, "fingerprint", passing=(AdjudgeError,)):
            fingerprint = backend.fingerprint() if isinstance(backend, SupportsFingerprint) else {}
        with guarded(registered, "model_fingerprint", passing=(AdjudgeError,)):
            of_model = backend.model_fingerprint(model) if isinstance(backend, SupportsModelIdentity) else {}
        return Member(
            name=f"{spec.name}/{model}",
            model=model,
            backend_name=registered.id,
            backend=backend,
            origin=registered,
            fingerprint={
                "backend": registered.id,
                "version": spec.version,
                **fingerprint,
                **of_model,
            },
            prices=spec.prices,
            recorded=isinstance(backend, SupportsRecordedCalls),
            prices_of={item.spec.name: item.spec.prices for item in self._backends},
        )

    def backend(self, registered: Registered[JudgeBackendSpec]) -> JudgeBackend:
        """The backend, made at its first use.

        Raises:
            InputError: its options are wrong.
        """
        if registered.id not in self._made:
            options = self._backend_options.get(registered.spec.name, {})
            config = validated_config(
                registered.spec.config, options, path=f"judge.backends.{registered.spec.name}"
            )
            self._made[registered.id] = (registered, make(registered, config, self._host, takes_part=False))
        return self._made[registered.id][1]

    async def aclose(self) -> None:
        """Give up calls that are under way, and close the backends."""
        await self._client.aclose()
        for origin, backend in self._made.values():
            if (trouble := await closed(origin, backend)) is not None:
                self.troubles.append(trouble)

    def _names(self, options: JudgeModelOptions) -> tuple[str, ...]:
        named = options.judges or ((options.judge_model,) if options.judge_model else ())
        environment = self._host.environment
        variable = tuple(name.strip() for name in environment.get(VARIABLE, "").split(",") if name.strip())
        for names in (self._override, named, self._default, variable):
            if names:
                return names
        if (default := self._adk_default()) is not None:
            return (default,)
        raise UnavailableError(
            Problem(what="no judge is named, and this criterion needs one", hint=self.ways())
        )

    def _adk_default(self) -> str | None:
        """The model that google-adk judges with where none is named, where it can be asked here."""
        for registered in self._backends:
            model = registered.spec.adk_default
            if model is not None and registered.distribution == OWN_DISTRIBUTION:
                backend = self.backend(registered)
                if not isinstance(backend, SupportsModelCheck) or not self._missing(
                    registered.id, registered, backend, model
                ):
                    return f"{registered.spec.name}/{model}"
        return None

    def ways(self) -> str:
        """How one gets a judge, in words: what is installed, and what each lacks."""
        lines = [
            "Name one with --judge MODEL, in the criterion's judge_model_options.judge_model, as [judge] model "
            f"in adjudge.toml, or in {VARIABLE}. Installed:"
        ]
        for registered in self._backends:
            lacking = self.lacking(registered)
            state = "ready" if not lacking else "; ".join(lacking)
            lines.append(f"    {registered.spec.example or registered.spec.name + '/MODEL'}: {state}")
        return "\n".join(lines)

    def lacking(self, registered: Registered[JudgeBackendSpec]) -> list[str]:
        """What a backend lacks before it can be asked, in words."""
        if absent := _absent_modules(registered):
            return absent
        try:
            backend = self.backend(registered)
            return (
                self._missing(registered.id, registered, backend, None)
                if isinstance(backend, SupportsModelCheck)
                else []
            )
        except AdjudgeError as error:
            return [f"cannot be used: {error}"]

    def _missing(self, id_: str, origin: Origin, backend: SupportsModelCheck, model: str | None) -> list[str]:
        """What a model lacks, asked once for all criteria: a backend may have to look at a server for it."""
        if (id_, model) not in self._lacked:
            self._lacked[id_, model] = list(each(origin, "missing", lambda: backend.missing(model)))
        return self._lacked[id_, model]

    def _resolved(self, name: str) -> tuple[Registered[JudgeBackendSpec], str]:
        known = {item.spec.name for item in self._backends}
        for separator in ("/", ":"):
            provider, found, model = name.partition(separator)
            if found and provider in known:
                if not model:
                    raise InputError(Problem(what=f"judge {name!r} names no model after {provider!r}"))
                return self._backends.resolve(provider), model
        matching = self._matching(name)
        if len(matching) == 1:
            return matching[0], name
        examples = ", ".join(item.spec.example for item in self._backends if item.spec.example)
        if matching:
            listed = " and ".join(f"{item.spec.name}/{name}" for item in matching)
            raise InputError(Problem(what=f"judge {name!r} could be {listed}", hint="Write one of these."))
        provider = name.partition("/")[0]
        if "/" in name:
            try:
                self._backends.resolve(provider)  # says what became of it, or what is installed
            except (UnknownNameError, PluginError) as error:
                raise UnavailableError(Problem(what=f"judge {name!r}: {error}")) from None
        raise UnavailableError(
            Problem(
                what=f"judge {name!r} belongs to no provider that is installed",
                hint=f"Write provider/model, for instance {examples or 'openai/gpt-4o-mini'}; "
                "`adjudge judges` lists the providers.",
            )
        )

    def _matching(self, name: str) -> list[Registered[JudgeBackendSpec]]:
        return [
            item
            for item in self._backends
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in item.spec.models)
        ]


def _absent_modules(registered: Registered[JudgeBackendSpec]) -> list[str]:
    """What must be installed before the backend can be made, in words."""
    return [
        f"needs the module {module!r}, which is not installed" for module in registered.spec.absent_modules()
    ]
