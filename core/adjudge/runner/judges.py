"""The judges of a run: the client and its configuration, from planning to the last call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.project import JudgeSettings
from adjudge.journal.recording import RecordingFile
from adjudge.journal.reply_cache import ReplyCache, compiled_checks
from adjudge.journal.run_journal import Journal
from adjudge.journal.secret import installation_secret
from adjudge.judge.budget import Budget, prices_installed
from adjudge.judge.client import JudgeClient, ReplyStore
from adjudge.judge.model_resolution import JudgeModels
from adjudge.judge.panel import JudgePanel
from adjudge.judge.rehearsal import Rehearsal
from adjudge.model.result import JudgeCalls
from adjudge.runner.host import RunHost
from adjudge.runner.problems import Problems
from adjudge.runner.request import JudgingRequest

_ENOUGH: Final = 10
"""Minimum number of items with two or more votes for the warning that their votes never disagreed."""


class RunJudges:
    """Creates the judges that criteria request, and stores their answers."""

    def __init__(
        self,
        request: JudgingRequest,
        host: RunHost,
        settings: JudgeSettings,
        *,
        retrying: bool = True,
    ) -> None:
        """Provide the judge backends of ``host``. Opens no connection and needs no key.

        Args:
            request: The user's options for judges.
            host: The host of the run's components.
            settings: The settings of the project.
            retrying: Whether calls with temporary failures are retried.
        """
        self._request = request
        self._settings = settings
        self._retrying = retrying
        self._host = host
        self._models = JudgeModels(
            host.extensions.judge_backends,
            host,
            override=request.judges,
            default=settings.models,
            backend_options=settings.backends,
            priced=request.max_cost is not None,
        )
        self._client: JudgeClient | None = None
        self._cache: ReplyCache | None = None
        self._recording: RecordingFile | None = None
        self._journal: Journal | None = None
        self._before: Mapping[str, JudgeCalls] = {}
        self._checks = compiled_checks()
        self._troubles: list[str] = []
        self._told: list[Callable[[], None]] = [self.keep_calls]
        host.judge_of = self.judge

    def judge(self, options: JudgeModelOptions) -> JudgePanel:
        """Create the judge that these options choose.

        Raises:
            InputError: no judge is named, or a requirement of it is missing.
            RunError: the installation's secret cannot be used.
        """
        if self._client is None:
            request = self._request
            self._client = JudgeClient(
                secret=installation_secret(),
                budget=Budget(max_calls=request.max_calls, max_cost=request.max_cost),
                timeout=self._settings.timeout,
                retrying=self._retrying,
            )
        members = self._models.chosen(options)
        return JudgePanel(self._client, members, options, for_good=self._checks)

    @property
    def unused(self) -> tuple[str, ...]:
        """A warning if the user named judges and nothing in the run asks one."""
        named = self._request.judges
        if self._client is not None or not named:
            return ()
        return (f"nothing in this run asks a judge: {', '.join(named)} is not used",)

    def check(self, problems: Problems, *, resuming: bool) -> None:
        """Find problems with the run's own options before it starts."""
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
        known = self._models.backend_names
        for name in sorted(self._settings.backends.keys() - known):
            problems.add(
                f"[judge.backends.{name}] names no judge backend",
                hint=f"Installed: {', '.join(sorted(known)) or 'none'}.",
            )

    def open(self, journal: Journal | None) -> None:
        """Allow calls. Replies are stored in the journal, and if requested in the cache and the recording.

        Args:
            journal: The journal of the run; ``None`` outside of a run.

        Raises:
            RunError: the recording cannot be written.
        """
        self._journal = journal
        if journal is not None:
            self._before = {
                name: JudgeCalls.model_validate(calls)
                for name, calls in journal.meta().get("judges", {}).items()
            }
        if self._client is None:
            return
        if self._request.use_cache:
            self._cache = ReplyCache()
        if self._request.record is not None:
            self._recording = RecordingFile.extend(self._host.working_folder / self._request.record)
        stores: list[ReplyStore] = [] if journal is None else [journal]
        if self._cache is not None:
            stores.append(self._cache)
        self._client.keep_in(stores, self._recording, told=self._tell)

    def rehearse(self, rehearsal: Rehearsal) -> None:
        """Let ``rehearsal`` answer instead of every model, except for stored replies."""
        if self._client is not None:
            self._client.rehearsal = rehearsal

    def tell(self, told: Callable[[], None]) -> None:
        """Call ``told`` after every reply and every abandoned call."""
        self._told.append(told)

    def _tell(self) -> None:
        for told in self._told:
            told()

    def keep_calls(self) -> None:
        """Write the counts of calls over all resumptions into the journal, so that they survive a kill."""
        if self._journal is not None:
            calls = {name: item.model_dump(mode="json") for name, item in self.calls.items()}
            self._journal.set_meta({"judges": calls})

    async def aclose(self) -> None:
        """Cancel pending calls, and close the models, the caches and the recording."""
        if self._client is not None:
            await self._client.aclose()
        self._troubles = await self._models.aclose()
        for opened in (self._cache, self._checks, self._recording):
            if opened is not None:
                opened.close()

    @property
    def calls(self) -> Mapping[str, JudgeCalls]:
        """The calls over all resumptions of the run, by model."""
        now: Mapping[str, JudgeCalls] = {} if self._client is None else self._client.calls
        found = {**self._before, **now}
        for name in self._before.keys() & now.keys():
            found[name] = (self._before[name] + now[name]).rounded(stopped=now[name].stopped)
        return dict(sorted(found.items()))

    @property
    def left(self) -> tuple[int | None, float | None]:
        """Calls and USD that may still be spent; ``None``: no limit."""
        return (None, None) if self._client is None else self._client.left

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answers."""
        asked: Mapping[str, JudgeCalls] = {} if self._client is None else self._client.calls
        found = [
            f"the votes of {name} never disagreed on any of {calls.items} items: "
            "their agreement is no evidence of confidence"
            for name, calls in asked.items()
            if calls.items >= _ENOUGH and calls.unanimous == calls.items
        ]
        found += [calls.stopped for calls in asked.values() if calls.stopped is not None]
        stores = (self._checks,) if self._cache is None else (self._checks, self._cache)
        found += self._troubles
        found += [store.trouble for store in stores if store.trouble is not None]
        return tuple(found)
