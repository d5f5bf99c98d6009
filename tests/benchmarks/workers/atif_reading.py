"""The package of ATIF reads a document into its model and writes it again: ``atif_reading.py FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from atif import Trajectory

document = Trajectory.model_validate_json(Path(sys.argv[1]).read_bytes())
document.model_dump_json()
sys.stdout.write(f"{len(document.steps)}\n")
