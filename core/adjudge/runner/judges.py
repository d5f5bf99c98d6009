"""The judges of a run: the client with what the run gives it, from planning to the last call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.loader import Extensions
from adjudge.extension.project import JudgeSettings
from adjudge.journal.recording import RecordingFile
from adjudge.journal.reply_cache import ReplyCache, compiled_checks
from adjudge.journal.run_journal import Journal
from adjudge.journal.secret import installation_secret
from adjudge.judge.budget import Budget, prices_installed
from adjudge.judge.client import JudgeClient, ReplyStore
from adjudge.judge.client_judge import ClientJudge
from adjudge.judge.model_resolution import Judges
from adjudge.model.judging import total_cost
from adjudge.model.result import JudgeCalls
from adjudge.model.step import total_usage
from adjudge.runner.host import RunHost
from adjudge.runner.problems import Problems
from adjudge.runner.request import JudgingRequest

_ENOUGH: Final = 10
"""Items with two votes or more from which it is worth saying that they never disagreed."""


class RunJudges:
    """Makes the judges that criteria ask for, and keeps what they answer."""

    def __init__(
        self,
        request: JudgingRequest,
        extensions: Extensions,
        host: RunHost,
        settings: JudgeSettings,
    ) -> None:
        """Offer the judge backends of ``extensions`` through ``host``. Nothing is opened, and no key needed.

        Args:
            request: What the user says of judges.
            extensions: The loaded plugins.
            host: What the components of the run are made with.
            settings: The project's.
        """
        self._request = request
        self._settings = settings
        self._known = {item.spec.name for item in extensions.judge_backends}
        self._cache: ReplyCache | None = None
        self._recording: RecordingFile | None = None
        self._journal: Journal | None = None
        self._before: Mapping[str, JudgeCalls] = {}
        self._checks = compiled_checks()
        self._host = host
        self._extensions = extensions
        self._made: tuple[Judges, JudgeClient] | None = None
        host.judges = self

    def judge(self, options: JudgeModelOptions) -> ClientJudge:
        """The judge that these options choose.

        Raises:
            InputError: no judge is named, or what it needs is missing.
            RunError: the installation's secret cannot be used.
        """
        return self._judges()[0].judge(options)

    def check(self, problems: Problems, *, resuming: bool) -> None:
        """Find what would go wrong with the run's own options, before it starts."""
        request = self._request
        if request.max_calls is not None and request.max_calls < 1:
            problems.add(f"the budget of judge calls must be at least 1, found {request.max_calls}")
        if request.max_cost is not None and not request.max_cost > 0:
            problems.add(f"the budget of judges must be more than 0 USD, found {request.max_cost}")
        if request.max_cost is not None and not prices_installed():
            problems.add(
                "a budget in USD needs prices, which are not installed",
                hint="Install them with: pip install 'adjudge[prices]'; or give --max-judge-calls.",
            )
        if (
            request.record is not None
            and not resuming
            and (self._host.working_folder / request.record).exists()
        ):
            problems.add(
                "exists; a recording is not written over another file",
                file=request.record,
                hint="Remove it, or name another.",
            )
        for name in sorted(self._settings.backends.keys() - self._known):
            problems.add(
                f"[judge.backends.{name}] names no judge backend",
                hint=f"Installed: {', '.join(sorted(self._known)) or 'none'}.",
            )

    def open(self, journal: Journal | None) -> None:
        """Begin to ask: every reply is kept in the journal, and in the cache and the recording where wanted.

        Args:
            journal: The run's; ``None`` outside of a run.

        Raises:
            RunError: the recording cannot be written.
        """
        self._journal = journal
        if journal is not None:
            self._before = {
                name: JudgeCalls.model_validate(calls)
                for name, calls in journal.meta().get("judges", {}).items()
            }
        if self._made is None:
            return
        if self._request.use_cache:
            self._cache = ReplyCache()
        if self._request.record is not None:
            self._recording = RecordingFile.extend(self._host.working_folder / self._request.record)
        stores: list[ReplyStore] = [] if journal is None else [journal]
        if self._cache is not None:
            stores.append(self._cache)
        self._made[1].keep_in(stores, self._recording)
        self._made[1].tell(self.keep_calls)

    def keep_calls(self) -> None:
        """Write what was asked over all resumptions of the run into its journal: a killed process keeps it."""
        if self._journal is not None:
            calls = together(self._before, self.calls)
            self._journal.set_meta(
                {"judges": {key: item.model_dump(mode="json") for key, item in calls.items()}}
            )

    def tell(self, told: Callable[[], None]) -> None:
        """Call ``told`` whenever a judge has answered."""
        if self._made is not None:
            self._made[1].tell(told)

    async def aclose(self) -> None:
        """Give up what is under way, and close everything."""
        if self._made is not None:
            await self._made[0].aclose()
        if self._cache is not None:
            self._cache.close()
        self._checks.close()
        if self._recording is not None:
            self._recording.close()

    @property
    def calls(self) -> Mapping[str, JudgeCalls]:
        """What was asked so far, by model."""
        return {} if self._made is None else self._made[1].calls

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the answers."""
        found = [
            f"the votes of {name} never disagreed on any of {calls.items} items: "
            "their agreement says nothing of how sure they are"
            for name, calls in self.calls.items()
            if calls.items >= _ENOUGH and calls.unanimous == calls.items
        ]
        found += [calls.stopped for calls in self.calls.values() if calls.stopped is not None]
        stores = (self._checks,) if self._cache is None else (self._checks, self._cache)
        if self._made is not None:
            found += self._made[0].troubles
        found += [store.trouble for store in stores if store.trouble is not None]
        return tuple(found)

    def _judges(self) -> tuple[Judges, JudgeClient]:
        if self._made is None:
            client = JudgeClient(
                secret=installation_secret(),
                budget=Budget(max_calls=self._request.max_calls, max_cost=self._request.max_cost),
                timeout=self._settings.timeout,
            )
            judges = Judges(
                self._extensions.judge_backends,
                client,
                self._host,
                override=self._request.judges,
                default=self._settings.models,
                backend_options=self._settings.backends,
                priced=self._request.max_cost is not None,
                for_good=self._checks,
            )
            self._made = (judges, client)
        return self._made


def together(before: Mapping[str, JudgeCalls], after: Mapping[str, JudgeCalls]) -> dict[str, JudgeCalls]:
    """The calls of a run over its resumptions."""
    return {name: _sum(before.get(name), after.get(name)) for name in sorted({*before, *after})}


def _sum(one: JudgeCalls | None, other: JudgeCalls | None) -> JudgeCalls:
    if one is None or other is None:
        return one or other or JudgeCalls()
    return JudgeCalls(
        calls=one.calls + other.calls,
        retries=one.retries + other.retries,
        cached=one.cached + other.cached,
        failed=one.failed + other.failed,
        usage=total_usage([one.usage, other.usage]),
        cost=total_cost(calls.cost for calls in (one, other) if calls.calls),
        items=one.items + other.items,
        unanimous=one.unanimous + other.unanimous,
        stopped=other.stopped,
    )
