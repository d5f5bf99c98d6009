"""adjudge judges recorded answers with a model that takes its time.

``adjudge_judging.py EVAL_SET RECORDED SAMPLES SECONDS AGREEMENT EARLY`` prints the seconds of the evaluation, the calls made,
the cases that passed, and the verdicts. EARLY is ``early``, or ``all`` to see what every vote would have decided.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from importlib import import_module

import judging_plugin

from adjudge import evaluate
from adjudge.extension.loader import Extensions, discover
from adjudge.judge.tally import VoteRule
from adjudge.testing import as_candidate

eval_set, recorded, samples, seconds, agreement, early = sys.argv[1:]
if early == "all":
    VoteRule.fewest = lambda self, tally, remaining, missing=0: remaining  # type: ignore[method-assign]

config = {
    "criteria": {
        "final_response_match_v2": {
            "threshold": 1.0,
            "judge_model_options": {
                "judge_model": f"slow/{seconds}-{agreement}",
                "num_samples": int(samples),
            },
        }
    }
}
import_module("tenacity")  # as google-adk's side, which has imported everything by now
extensions = Extensions([*discover(), as_candidate("slow-judge", judging_plugin)])
started = time.perf_counter()
result = asyncio.run(
    evaluate(f"recorded:{recorded}", eval_set, config=config, extensions=extensions, use_cache=False)
)
elapsed = time.perf_counter() - started
verdicts = [case.status for case in result.cases()]
json.dump(
    {
        "seconds": elapsed,
        "calls": judging_plugin.calls,
        "passed": verdicts.count("PASS"),
        "verdicts": verdicts,
    },
    sys.stdout,
)
