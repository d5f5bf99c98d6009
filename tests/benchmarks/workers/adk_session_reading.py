"""google-adk reads a session into its model and writes it again: ``adk_session_reading.py FILE``."""

from __future__ import annotations

import sys
from pathlib import Path

from google.adk.sessions.session import Session

session = Session.model_validate_json(Path(sys.argv[1]).read_bytes())
session.model_dump_json(by_alias=True)
sys.stdout.write(f"{len(session.events)}\n")
