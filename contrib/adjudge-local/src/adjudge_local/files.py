"""Finds the file of a model by its name: on this machine, or on a hub.

``PATH.gguf`` is looked up in the working folder; it may be absolute or begin with ``~``.
``ORG/REPO/FILE.gguf`` where no such file lies is a file of a repository on the Hugging Face Hub.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from adjudge.kit import http_judge
from adjudge.kit.threads import handover
from adjudge.plugin import JudgeError, JudgeErrorCode

_MAGIC: Final = b"GGUF"
_HEAD: Final = 8 * 2**20
"""Bytes at the beginning that are hashed: sizes, vocabulary and chat template are there."""
_SAMPLES: Final = 64
_SAMPLE: Final = 64 * 2**10


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository on a hub."""

    repository: str
    name: str


def located(model: str, folder: Path) -> Path | HubFile:
    """Where the model is. A path need not lead to a file."""
    path = folder / Path(model).expanduser()
    parts = PurePosixPath(model).parts
    on_hub = len(parts) >= 3 and not model.startswith(("/", "~", ".")) and model.endswith(".gguf")
    if on_hub and not path.is_file():
        return HubFile("/".join(parts[:2]), "/".join(parts[2:]))
    return path


def problem_of(path: Path) -> str | None:
    """Why a path is no model; ``None`` where it is one."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except FileNotFoundError:
        return f"no file {path}; name a GGUF file, or ORG/REPO/FILE.gguf on the Hugging Face Hub"
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    return None if magic == _MAGIC else f"{path} is not a GGUF file"


def digest(path: Path) -> str:
    """A hash of a model's content that takes milliseconds, wherever the file lies and whenever it was copied.

    Over its size, its first 8 MiB and 64 pieces spread over the rest. Other weights differ everywhere:
    training and quantising change every tensor. The whole file would take a second per gigabyte, with
    every command; its time of change would make a copy of it another model.
    """
    stat = path.stat()
    return _digest(path, stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _digest(path: Path, size: int, _changed: int) -> str:
    hashed = hashlib.sha256(size.to_bytes(8, "big"))
    with path.open("rb") as file:
        hashed.update(file.read(_HEAD))
        for piece in range(_SAMPLES):
            file.seek(max(_HEAD, size * piece // _SAMPLES))
            hashed.update(file.read(_SAMPLE))
        file.seek(max(0, size - _SAMPLE))
        hashed.update(file.read())
    return hashed.hexdigest()


class Hub:
    """Files of the Hugging Face Hub, through ``huggingface-hub`` and its cache.

    What the cache holds is used as it is: a judge does not change because somebody uploaded another file.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Honour ``HF_*`` of ``environment``."""
        self._environment = environment

    def missing(self, file: HubFile) -> str | None:
        """What is needed for the file; ``None`` where it is in the cache or may be fetched."""
        named = f"{file.repository}/{file.name}"
        if importlib.util.find_spec("huggingface_hub") is None:
            return (
                f"no file {named} in the working folder, and package 'huggingface-hub' is not installed "
                "to fetch it: pip install 'adjudge-local[hub]'"
            )
        if self._offline and self.cached(file) is None:
            return f"{named} is not in the cache of huggingface-hub, and HF_HUB_OFFLINE is set"
        problem = self._problem_of_token() if self._environment.get("HF_TOKEN") else None
        return problem if problem and self.cached(file) is None else None

    def cached(self, file: HubFile) -> Path | None:
        """The file in the cache; ``None`` where it is not there."""
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(file.repository, file.name, cache_dir=self._cache)
        return Path(found) if isinstance(found, str) else None

    async def fetch(self, file: HubFile) -> Path:
        """The file, downloaded where the cache does not hold it.

        Raises:
            JudgeError: it is not there, or the hub cannot be reached.
        """
        if (known := self.cached(file)) is not None:
            return known
        named = f"{file.repository}/{file.name}"

        def refused(error: BaseException) -> JudgeError:
            return JudgeError(f"{named} was not fetched: {error!r}", code="network")

        work, done = handover(lambda: self._download(file), refused)
        threading.Thread(target=work, name=f"fetch {named}", daemon=True).start()
        path: Path = await done
        return path

    def _download(self, file: HubFile) -> Path:
        from huggingface_hub import hf_hub_download  # pyright: ignore[reportUnknownVariableType]
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()  # adjudge shows its own
        token = self._environment.get("HF_TOKEN")
        problem = self._problem_of_token()
        if token and problem:
            raise JudgeError(problem, code="auth")
        try:
            found = hf_hub_download(
                file.repository,
                file.name,
                cache_dir=self._cache,
                endpoint=self._environment.get("HF_ENDPOINT") or None,
                # Without one the library sends the token that the user has saved.
                token=token or (False if problem else None),
                local_files_only=self._offline,
            )
        except Exception as error:
            said = str(error).replace(token, "***") if token else str(error)
            reason = next(iter(said.strip().splitlines()), type(error).__name__)
            raise JudgeError(
                f"{file.repository}/{file.name} cannot be fetched: {reason}", code=_code_of(error)
            ) from None
        return Path(found)

    def _problem_of_token(self) -> str | None:
        return http_judge.key_problem(self._environment, address="HF_ENDPOINT", key="HF_TOKEN")

    @property
    def _offline(self) -> bool:
        return self._environment.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")

    @property
    def _cache(self) -> str | None:
        if cache := self._environment.get("HF_HUB_CACHE"):
            return str(Path(cache).expanduser())
        home = self._environment.get("HF_HOME")
        return str(Path(home).expanduser() / "hub") if home else None


def _code_of(error: Exception) -> JudgeErrorCode:
    from huggingface_hub import errors

    # A hub that refuses is told as a file that is not in the cache, with the refusal as its cause.
    cause = error.__cause__ or error
    if isinstance(error, errors.GatedRepoError) or (
        isinstance(cause, errors.HfHubHTTPError) and cause.response.status_code in (401, 403)
    ):
        return "auth"
    absent = (errors.RepositoryNotFoundError, errors.RemoteEntryNotFoundError, errors.HFValidationError)
    return "unknown_model" if isinstance(error, absent) else "network"
