"""How many tokens OpenAI's vocabulary o200k makes of texts: ``provider_tokens.py FILE``, with a JSON text a line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpe_openai

encoding = bpe_openai.get_encoding("o200k_base")
with Path(sys.argv[1]).open(encoding="utf-8") as stream:
    counts = [len(encoding.encode_ordinary(json.loads(line))) for line in stream]
json.dump({"tokens": sum(counts), "largest": max(counts)}, sys.stdout)
