"""What adjudge asks a judge about the runs of a log: ``adjudge_judge_calls.py LOG CRITERIA GRANULARITY SAMPLES VERDICT TEXTS``.

Prints the steps of the runs, the calls, their tokens, and the granularities that were used. TEXTS is a file for the requests,
one a line as JSON, or ``-``.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import scripted_judge_plugin as judge

from adjudge.extension.loader import Extensions, discover
from adjudge.testing import as_candidate
from adjudge.testing.log_runs import judged_sync

log, criteria, granularity, samples, verdict, texts = sys.argv[1:]
extensions = Extensions([*discover(), as_candidate("scripted-judge", judge)])
started = time.perf_counter()
judged = judged_sync(
    log,
    criteria,
    judge=f"scripted/{verdict}",
    granularity=granularity,
    num_samples=int(samples),
    use_cache=False,
    extensions=extensions,
)
seconds = time.perf_counter() - started
if judged.errors:
    sys.exit(str(judged.errors[0]))
if texts != "-":
    with Path(texts).open("w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(text)}\n" for text in judge.texts)
json.dump(
    {
        "steps": sum(run.steps for run in judged.logs),
        "seconds": seconds,
        "calls": len(judge.tokens),
        "writing": sum(judge.written),
        "tokens": sum(judge.tokens),
        "largest": max(judge.tokens),
        "used": Counter(result.used_granularity for run in judged.logs for result in run.results),
        "verdicts": Counter(str(result.verdict) for run in judged.logs for result in run.results),
    },
    sys.stdout,
)
