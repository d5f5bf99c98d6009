"""A configuration of criteria that is being put together, with everything in the file that nobody touched."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from adjudge.kit.eval_sets import write_whole
from adjudge.kit.strict_json import is_object, parse_json
from adjudge.plugin import InputError, Problem

NAME: Final = "test_config.json"


class ConfigDraft:
    """What ``test_config.json`` would say."""

    def __init__(self, path: Path, criteria: Sequence[Mapping[str, Any]]) -> None:
        """Begin with the file beside an eval set, or with what is measured where there is none.

        Args:
            path: The ``test_config.json``, which need not exist.
            criteria: What is installed, as ``adjudge.inventory`` says it.

        Raises:
            InputError: the file is no JSON object.
        """
        self.path = path
        self._read = path.read_bytes() if path.is_file() else None
        found: Any = {} if self._read is None else parse_json(self._read, source=str(path))
        if not is_object(found):
            raise InputError(Problem(what="expected a JSON object.", file=str(path)))
        self._data: dict[str, Any] = found
        self._spellings = {
            item["name"]: {option["name"]: option["alias"] for option in item["options"] if option["alias"]}
            for item in criteria
        }
        own = found.get("criteria")
        self.criteria: dict[str, Any] = copy.deepcopy(own) if is_object(own) else {}
        """As the file has them: a threshold, or an object with options."""
        if self._read is None:
            default = [item for item in criteria if item["in_adk_default"]]
            default.sort(key=lambda item: (-(item["default_threshold"] or 0), item["id"]))
            self.criteria = {item["name"]: item["default_threshold"] for item in default}

    @property
    def is_from_file(self) -> bool:
        """Whether there is such a file."""
        return self._read is not None

    def threshold(self, name: str) -> float | None:
        """The threshold of a criterion; ``None``: informational."""
        entry = self.criteria.get(name)
        value = entry.get("threshold") if is_object(entry) else entry
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    def set_threshold(self, name: str, value: float | None) -> None:
        """Put another threshold in its place."""
        entry = self.criteria.get(name)
        if is_object(entry):
            entry["threshold"] = value
            if value is None:
                entry.pop("threshold")
        else:
            self.criteria[name] = {} if value is None else value

    def option(self, name: str, option: str) -> Any:
        """An option of a criterion, by its own name or as ADK spells it; ``None`` where the file leaves it out."""
        entry = self.criteria.get(name)
        if not is_object(entry):
            return None
        return copy.deepcopy(entry.get(self._spelled(name, entry, option)))

    def set_option(self, name: str, option: str, value: Any) -> None:
        """Put an option in its place; ``None`` takes it out."""
        entry = self.criteria.get(name)
        if not is_object(entry):
            entry = self.criteria[name] = {} if entry is None else {"threshold": entry}
        spelled = self._spelled(name, entry, option)
        entry.pop(spelled, None)
        if value is not None:
            entry[spelled] = copy.deepcopy(value)

    def _spelled(self, name: str, entry: Mapping[str, Any], option: str) -> str:
        """The key of an option: ADK's spelling where the entry has it, else the option's own name."""
        other = self._spellings.get(entry.get("criterion") or name, {}).get(option, option)
        return other if other in entry else option

    def document(self) -> dict[str, Any]:
        """The whole configuration."""
        return {**self._data, "criteria": copy.deepcopy(self.criteria)}

    def save(self) -> None:
        """Write the file.

        Raises:
            InputError: it was changed since it was read, or it cannot be written; it is as it was.
        """
        held = self.path.read_bytes() if self.path.is_file() else None
        if held != self._read:
            raise InputError(
                Problem(
                    what="the file was changed since it was opened; nothing is written.",
                    file=str(self.path),
                    hint="Open the dialog again.",
                )
            )
        text = json.dumps(self.document(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        write_whole(self.path, text)
        self._read = text.encode()
