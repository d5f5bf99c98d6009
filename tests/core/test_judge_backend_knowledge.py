"""What a backend may know of itself: which weights answer under a name, and how many calls it can work on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from adjudge.judge.client import JudgeClient
from adjudge.judge.model_resolution import JudgeModels
from adjudge.judge.panel import JudgePanel
from adjudge.model import Choice, Exhibit, JsonObject, JudgedItem, Prompt, Question
from adjudge.plugin import (
    JudgeBackendSpec,
    JudgeModelOptions,
    JudgeReply,
    JudgeRequest,
    hookimpl,
)
from adjudge.testing import FakeHost, manager, verdicts

MENU = (Choice(label="yes", meaning="yes", value=1.0), Choice(label="no", meaning="no", value=0.0))


class Weights:
    """A backend over files: whatever a file holds is the model of that name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = 0
        self.most = 0
        self._under_way = 0

    @property
    def at_once(self) -> int:
        return 2

    def model_fingerprint(self, model: str) -> JsonObject:
        return {"content": (self.folder / model).read_text()}

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        self.calls += 1
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await asyncio.sleep(0.001)
        self._under_way -= 1
        return JudgeReply(text=verdicts(request, "yes"))


class Kept:
    """Replies of earlier runs."""

    def __init__(self) -> None:
        self._replies: dict[tuple[str, int], bytes] = {}

    def reply(self, key: str, sample: int) -> bytes | None:
        return self._replies.get((key, sample))

    def add_reply(self, key: str, sample: int, data: bytes) -> None:
        self._replies[key, sample] = data


def run(folder: Path, kept: Kept, *texts: str) -> Weights:
    """The backend of a run in which every text is judged once, at the same time."""
    backend = Weights(folder)

    class Plugin:
        @hookimpl.judge_backends
        def backends(self) -> Iterable[JudgeBackendSpec]:
            yield JudgeBackendSpec(name="weights", summary="Files", factory=lambda _config, _host: backend)

    async def main() -> None:
        client = JudgeClient(secret=b"a secret of this test")
        client.keep_in([kept])
        options = JudgeModelOptions(judge_model="weights/model", num_samples=1)
        models = JudgeModels(manager(Plugin()).judge_backends, FakeHost(folder))
        judge = JudgePanel(client, models.chosen(options), options)
        prompt = Prompt(name="q", version=1, text="Decide.")
        item = JudgedItem(item_id="i", text="Is it so?")
        await asyncio.gather(
            *(
                judge.decide(
                    Question(
                        prompt=prompt,
                        exhibits=(Exhibit(name="answer", text=text),),
                        items=(item,),
                        choices=MENU,
                    )
                )
                for text in texts
            )
        )
        await client.aclose()
        await models.aclose()

    asyncio.run(main())
    return backend


def test_other_weights_under_the_same_name_are_asked_anew(tmp_path: Path) -> None:
    kept = Kept()
    (tmp_path / "model").write_text("first")
    assert run(tmp_path, kept, "2 + 2 = 4").calls == 1
    assert run(tmp_path, kept, "2 + 2 = 4").calls == 0

    (tmp_path / "model").write_text("second")

    assert run(tmp_path, kept, "2 + 2 = 4").calls == 1


def test_no_more_calls_are_under_way_than_the_backend_can_work_on(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("first")

    backend = run(tmp_path, Kept(), *map(str, range(20)))

    assert (backend.calls, backend.most) == (20, 2)
