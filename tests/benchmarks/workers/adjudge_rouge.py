"""adjudge's ROUGE-1 on pairs of texts: ``adjudge_rouge.py PAIRS WARM_UP``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from adjudge.kit.matching.words import rouge_1

pairs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
warm_up = int(sys.argv[2])
for expected, actual in pairs[:warm_up]:
    rouge_1(expected, actual)

started = time.process_time()
scores = [rouge_1(expected, actual) for expected, actual in pairs[warm_up:]]
seconds = time.process_time() - started

json.dump({"per_second": len(scores) / seconds, "scores": [score.f1 for score in scores]}, sys.stdout)
