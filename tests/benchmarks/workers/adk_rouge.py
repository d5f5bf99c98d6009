"""google-adk's ROUGE-1 on pairs of texts: ``adk_rouge.py PAIRS WARM_UP``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from google.adk.evaluation.final_response_match_v1 import _calculate_rouge_1_scores as rouge_1

pairs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
warm_up = int(sys.argv[2])
for expected, actual in pairs[:warm_up]:
    rouge_1(actual, expected)

started = time.process_time()
scores = [rouge_1(actual, expected) for expected, actual in pairs[warm_up:]]
seconds = time.process_time() - started

json.dump({"per_second": len(scores) / seconds, "scores": [score.fmeasure for score in scores]}, sys.stdout)
