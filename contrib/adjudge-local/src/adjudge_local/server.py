"""The process that runs a model: ``python -m adjudge_local.server``.

It reads its options as one line of JSON, serves the model on a free port of 127.0.0.1, writes the
address as one line, and lives as long as its standard input is open. The operating system closes that
when the parent ends, however it ends: a killed adjudge leaves no process behind.

A process of its own because loading a model holds Python's lock for seconds, because a crash of the
library must not be a crash of the run, and because the library reads ``OMP_WAIT_POLICY`` when it is loaded.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main() -> None:
    """Serve until standard input ends."""
    options: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as told:
        os.dup2(2, 1)  # the library prints what it likes where it likes
        server = _serve(options)
        told.write(f"{server.listening_address}\n")
    sys.stdin.buffer.read()
    os._exit(0)  # what is being computed is for nobody


def _serve(options: dict[str, Any]) -> Any:
    try:
        import xllamacpp  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        sys.exit(f"xllamacpp cannot be loaded: {error}")
    library: Any = xllamacpp  # it has no types
    params = library.CommonParams()
    params.model.path = options["path"]
    params.model_alias = [options["name"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [options["key"]]
    params.n_parallel = options["slots"]
    params.n_ctx = options["context"] * options["slots"]  # shared out among the slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options["threads"]
    params.cache_ram_mib = 0  # prompts are not kept: see `cache_prompt`
    params.ui = params.endpoint_slots = False
    params.verbosity = 1  # errors alone
    try:
        return library.Server(params)
    except RuntimeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
