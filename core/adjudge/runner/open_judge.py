"""Opens a judge outside of a run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from adjudge.extension.judge_options import JudgeModelOptions
from adjudge.extension.judge_protocols import Judge
from adjudge.extension.plugin_loops import plugin_loops
from adjudge.extension.project import find_settings, project_extensions
from adjudge.runner.host import RunHost
from adjudge.runner.judges import RunJudges
from adjudge.runner.request import JudgingRequest


@asynccontextmanager
async def open_judge(model: str, *, disable: Iterable[str] = ()) -> AsyncGenerator[Judge]:
    """Open a judge for questions outside of a run: one vote, without cache and retries.

    Args:
        model: As ``provider/model``, or a name that matches one provider's models.
        disable: Plugins or distributions that are not imported.

    Raises:
        InputError: no backend has such a model, or a requirement is missing.
        PluginError: a required plugin is not available.
    """
    folder = Path.cwd()
    host = RunHost(project_extensions(folder, disable=disable), folder)
    host.read_environment(agent_folder=None)
    request = JudgingRequest(judges=(model,))
    judges = RunJudges(request, host, find_settings(folder).judge, retrying=False)
    judge = judges.judge(JudgeModelOptions(num_samples=1))
    async with plugin_loops():
        try:
            yield judge
        finally:
            await judges.aclose()
