"""What reading a log alone takes, measured in the process: ``log_read.py json|adjudge FILE``.

Both sides are imported, and have read a small log, before the clock runs.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from pathlib import Path

side, file = sys.argv[1], Path(sys.argv[2])
small = file.with_name("warm-up.json")
small.write_text('[{"step": 1, "thinking": "t", "action": "a()"}]', encoding="utf-8")

if side == "adjudge":
    from adjudge import read_log

    # As the command line has it.
    gc.set_threshold(50_000, 20, 20)

    def read(path: Path) -> object:
        """The runs of a log."""
        return list(read_log(path))

else:

    def read(path: Path) -> object:
        """The objects of a file."""
        with path.open(encoding="utf-8") as stream:
            return json.load(stream)


read(small)
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.process_time()
held = read(file)
seconds = time.process_time() - started
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
sys.stdout.write(json.dumps({"seconds": seconds, "grown_bytes": grown}))
