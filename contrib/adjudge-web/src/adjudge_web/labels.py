"""Labels: what people say of verdicts, in the form that `adjudge agreement` reads."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal, TypeAlias

import adjudge
from adjudge.plugin import AdjudgeError, home, make_folder

Label: TypeAlias = Literal["PASS", "FAIL"]
Labelled: TypeAlias = tuple[str, int | None, str]
"""Source, run, criterion."""


def labels_path(run: str) -> Path:
    """Where the labels of a run are kept."""
    return home() / "labels" / f"{run}.jsonl"


def read_labels(run: str) -> dict[Labelled, Label]:
    """The labels of a run."""
    path = labels_path(run)
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = map(json.loads, lines)
    return {(item["source"], item.get("run"), item["criterion"]): item["label"] for item in found}


def write_label(run: str, labelled: Labelled, label: Label | None) -> None:
    """Keep a label, or take it back."""
    labels = read_labels(run)
    labels.pop(labelled, None)
    if label is not None:
        labels[labelled] = label
    make_folder(labels_path(run).parent)
    rows: list[dict[str, Any]] = [
        {
            "source": source,
            **({} if number is None else {"run": number}),
            "criterion": criterion,
            "label": said,
        }
        for (source, number, criterion), said in labels.items()
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    partial = labels_path(run).with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(labels_path(run))


async def agreement(run: str) -> dict[str, Any]:
    """What `adjudge agreement` says of the labels of a run.

    Raises:
        AdjudgeError: it could not be said; the message is that of the command.
    """
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        _, unwritten = await asyncio.to_thread(adjudge.write_reports, run, [results])
        if unwritten:
            raise AdjudgeError("\n".join(unwritten))
        command = (
            sys.executable,
            "-P",
            "-m",
            "adjudge",
            "agreement",
            str(results),
            str(labels_path(run)),
            "--json",
        )
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        said, trouble = await process.communicate()
        if process.returncode:
            raise AdjudgeError(trouble.decode("utf-8", "replace").strip())
        found: dict[str, Any] = json.loads(said)
        return found
