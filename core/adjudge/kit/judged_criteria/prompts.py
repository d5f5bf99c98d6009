"""Prompts: versioned files in the folder of their criterion."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final

from adjudge.errors import PluginError
from adjudge.model.judging import Prompt

_HEAD: Final = re.compile(r"<!-- version: ([1-9][0-9]*) -->\n")


@cache
def read_prompt(package: str | None, name: str) -> Prompt:
    """Read the prompt in the file ``NAME.md`` of a package.

    The first line of the file is ``<!-- version: N -->``; the rest is the text of the prompt.

    Args:
        package: ``__package__`` of the calling module.
        name: The file's name without its ending. Results show it, so use the name of the criterion.

    Raises:
        PluginError: there is no such file, or it does not begin with its version.
    """
    try:
        text = resources.files(package or "").joinpath(f"{name}.md").read_text(encoding="utf-8")
    except (OSError, ImportError, ValueError) as error:
        raise PluginError(f"{package} has no prompt {name}.md: {error}") from None
    head = _HEAD.match(text)
    if head is None:
        raise PluginError(f"the prompt {name}.md of {package} does not begin with <!-- version: N -->")
    return Prompt(name=name, version=int(head[1]), text=text[head.end() :].strip())
