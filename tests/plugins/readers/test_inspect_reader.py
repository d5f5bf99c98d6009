"""Inspect: samples in JSON and in archives, what is kept apart, how samples end, and labels that no judge may see."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from adjudge import read_log
from adjudge.model import Blob, ErrorItem, Observation, Trajectory
from adjudge.plugin import InputError

EVAL = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}


def sample(*messages: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"id": 1, "epoch": 2, "input": "Go.", "target": "SECRET", "messages": messages, **others}


def read(folder: Path, *samples: dict[str, Any]) -> list[Trajectory]:
    (folder / "log.json").write_text(json.dumps({**EVAL, "samples": samples}))
    return list(read_log(folder / "log.json"))


def test_what_is_kept_apart_is_put_back(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "attachment://a"}, {"type": "image", "image": "attachment://b"}]
    [run] = read(
        tmp_path,
        sample({"role": "user", "content": content}, attachments={"a": "Go.", "b": "https://x/y.png"}),
    )
    assert run.invocations[0].user_content.text == "Go."
    assert Blob(uri="https://x/y.png") in run.invocations[0].user_content.items


def test_how_a_sample_ended_and_what_failed(tmp_path: Path) -> None:
    call = {"id": "1", "function": "bash", "arguments": {"cmd": "ls"}}
    failed = {
        "role": "tool",
        "tool_call_id": "1",
        "function": "bash",
        "content": "",
        "error": {"type": "timeout", "message": "late"},
    }
    messages = (
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        failed,
    )
    limited, broken = read(
        tmp_path,
        sample(*messages, limit={"type": "token", "limit": 100}),
        sample(*messages, error={"message": "boom"}),
    )
    assert limited.steps[0].results[0].is_error
    assert limited.steps[0].results[0].value == "late"
    assert limited.steps[-1].observations == (
        Observation(text="The sample ended at its limit: token 100", source="limit"),
    )
    assert broken.steps[-1].errors == (ErrorItem(message="boom", code="sample_error"),)
    assert limited.eval_id == "1_epoch_2"


def test_labels_are_not_read(tmp_path: Path) -> None:
    [run] = read(
        tmp_path,
        sample({"role": "user", "content": "Go."}, scores={"m": "SECRET"}, metadata={"answer": "SECRET"}),
    )
    assert "SECRET" not in run.model_dump_json()
    assert {"'target' of the sample", "'scores' of the sample", "'metadata' of the sample"} <= set(run.lost)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"PK\x03\x04broken header.json", "cannot be read"), (b'{"version": 2, "eval": {}}', "found no sample")],
)
def test_what_is_broken_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "log.eval").write_bytes(content)
    with pytest.raises(InputError, match=said):
        list(read_log(tmp_path / "log.eval", reader="inspect"))


def test_an_archive_that_unpacks_to_much_more_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(EVAL))
        archive.writestr("samples/1_epoch_1.json", " " * (65 * 1024 * 1024))
    with pytest.raises(InputError, match="unpacked it is larger than 64 MiB"):
        list(read_log(tmp_path / "log.eval"))


def raw_samples(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        return list(json.loads(path.read_text())["samples"])
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        return [json.loads(archive.read(name)) for name in names]


def test_real_logs(shared_data: Path) -> None:
    paths = sorted((shared_data / "more_logs" / "inspect").iterdir())
    assert {path.suffix for path in paths} == {".eval", ".json"}
    for path in paths:
        samples, runs = raw_samples(path), list(read_log(path))
        assert [run.eval_id for run in runs] == [f"{row['id']}_epoch_{row['epoch']}" for row in samples]
        for row, run in zip(samples, runs, strict=True):
            messages = row["messages"]
            asked = row["input"] if isinstance(row["input"], str) else row["input"][0]["content"]
            assert run.goal == asked
            own = [message for message in messages if message["role"] == "assistant"]
            assert len(run.steps) == len(own)
            assert [(call.id, call.name, call.args) for step in run.steps for call in step.calls] == [
                (call["id"], call["function"], call["arguments"])
                for message in own
                for call in message.get("tool_calls") or []
            ]
            assert [result.value for step in run.steps for result in step.results] == [
                message["content"] for message in messages if message["role"] == "tool"
            ]
            last = own[-1]["content"]
            answer = run.invocations[-1].final_response
            assert answer is not None
            assert answer.text == (last if isinstance(last, str) else last[0]["text"])
            events = row.get("events") or row.get("transcript", {}).get("events", [])
            answers = [event["output"] for event in events if event["event"] == "model"][: len(own)]
            usages = [answer["usage"]["total_tokens"] for answer in answers if answer.get("usage")]
            assert [step.usage.total_tokens for step in run.steps if step.usage] == usages


def packed_by_zstd(folder: Path, data: bytes) -> Path:
    archives = pytest.importorskip("backports.zstd.zipfile", reason="Python has zstd itself")
    path = folder / "log.eval"
    with archives.ZipFile(path, "w", compression=archives.ZIP_ZSTANDARD) as archive:
        archive.writestr("header.json", json.dumps(EVAL))
        archive.writestr("samples/1_epoch_1.json", data)
    return path


def test_an_archive_that_zstd_packed_is_read(tmp_path: Path) -> None:
    said = json.dumps(
        sample({"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done. " * 5000})
    )
    [run] = read_log(packed_by_zstd(tmp_path, said.encode()))
    assert run.invocations[0].final_response is not None
    assert run.invocations[0].final_response.text == "Done. " * 5000


def test_a_broken_archive_of_zstd_names_the_file_in_it(tmp_path: Path) -> None:
    path = packed_by_zstd(tmp_path, json.dumps(sample({"role": "user", "content": "Go. " * 999})).encode())
    data = path.read_bytes()
    at = data.index(b"samples/1_epoch_1.json") + len(b"samples/1_epoch_1.json")
    path.write_bytes(data[: at + 8] + b"\xff" * 12 + data[at + 20 :])
    with pytest.raises(InputError, match="cannot be read"):
        list(read_log(path))


def test_without_zstd_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed_by_zstd(tmp_path, b"{}")
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    with pytest.raises(InputError, match=r"log.eval: is packed by zstd") as caught:
        list(read_log(path))
    assert "pip install 'adjudge[zstd]'" in str(caught.value)
    assert "inspect log convert --to json" in str(caught.value)
