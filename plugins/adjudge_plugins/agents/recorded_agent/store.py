"""Recordings on disk, found by ``eval_id``. Only their positions are kept in memory."""

from __future__ import annotations

import hashlib
import tempfile
import weakref
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence

from adjudge.plugin import InputError, Problem, Trajectory


class Recordings:
    """The trajectories of one file, in a temporary file that is removed with this object."""

    def __init__(self, trajectories: Iterable[Trajectory], source: str) -> None:
        """Store every trajectory.

        Args:
            trajectories: Read once, one at a time.
            source: The file of the trajectories, for messages.

        Raises:
            InputError: trajectories have no ``eval_id``, or there are none.
        """
        self._file = tempfile.TemporaryFile(prefix="adjudge-recordings-")  # noqa: SIM115 - it stays open
        # A refused plan drops this object without closing it, so the file is removed on garbage collection.
        self.close = weakref.finalize(self, self._file.close)
        """Remove the temporary file."""
        self._lost: Counter[str] = Counter()
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._take(trajectories, source)

    def _take(self, trajectories: Iterable[Trajectory], source: str) -> None:
        nameless: list[str] = []
        offset = 0
        digest = hashlib.sha256()
        for trajectory in trajectories:
            if trajectory.eval_id is None:
                nameless.append(trajectory.source or "a trajectory")
                continue
            self._lost.update(dict.fromkeys(trajectory.lost, 1))
            data = trajectory.model_dump_json(exclude_defaults=True).encode()
            digest.update(data)
            packed = zlib.compress(data, level=1)
            self._file.write(packed)
            self._places.setdefault(trajectory.eval_id, []).append((offset, len(packed)))
            offset += len(packed)
        self.sha256 = digest.hexdigest()
        if nameless:
            more = f" and {len(nameless) - 3} more" if len(nameless) > 3 else ""
            raise InputError(
                Problem(
                    what=f"recordings without an eval_id: {', '.join(nameless[:3])}{more}",
                    file=source,
                    hint="A recording is paired with a case by eval_id.",
                )
            )
        if not self._places:
            raise InputError(Problem(what="the file contains no recording", file=source))

    def ids(self) -> Sequence[str]:
        """Every ``eval_id``, in the order of the file."""
        return list(self._places)

    def count(self, eval_id: str) -> int:
        """The number of recordings of a case."""
        return len(self._places.get(eval_id, ()))

    def lost(self) -> Sequence[tuple[str, int]]:
        """What the reader could not read, with the number of recordings affected, the most frequent first."""
        return self._lost.most_common()

    def read(self, eval_id: str, number: int) -> Trajectory:
        """Read the recording ``number`` (from 1) of a case; numbers follow the order of the file."""
        offset, length = self._places[eval_id][number - 1]
        self._file.seek(offset)
        return Trajectory.model_validate_json(zlib.decompress(self._file.read(length)))
