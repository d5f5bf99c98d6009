"""What any program pays that holds a JSON file as objects and writes it: ``json_floor.py FILE [lines]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

with Path(sys.argv[1]).open(encoding="utf-8") as stream:
    value = [json.loads(line) for line in stream] if sys.argv[2:] else json.load(stream)
sys.stdout.write(f"{len(json.dumps(value))}\n")
