"""Access tokens of Google Cloud, by Application Default Credentials.

Where they are looked for: "How Application Default Credentials works"
(https://cloud.google.com/docs/authentication/application-default-credentials).
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol, cast

from adjudge.kit.threads import handover
from adjudge.plugin import JudgeError, JudgeErrorCode, Problem

FILE: Final = "GOOGLE_APPLICATION_CREDENTIALS"

_SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)
_SERVERLESS: Final = ("K_SERVICE", "CLOUD_RUN_JOB", "GAE_SERVICE", "GCE_METADATA_HOST")
"""Set where Google runs the program, so that its metadata server gives tokens."""
_PRODUCT: Final = Path("/sys/class/dmi/id/product_name")
_WAYS: Final = (
    f"Run `gcloud auth application-default login`, or set {FILE} to the JSON file of a service account."
)
_OAUTH_ERROR: Final = re.compile(r"[a-z_]{1,40}\Z")


class _Credentials(Protocol):
    """What is used of ``google.auth.credentials.Credentials``."""

    token: str | None
    quota_project_id: str | None

    @property
    def valid(self) -> bool: ...

    def refresh(self, request: object) -> None: ...


def credentials_problem(environment: Mapping[str, str]) -> Problem | None:
    """Why there will be no credentials, as far as this machine shows it; nothing is asked over the network."""
    path = _file(environment)
    if path is None:
        return (
            None
            if _runs_at_google(environment)
            else Problem(what="no credentials of Google Cloud", hint=_WAYS)
        )
    if not path.is_file():
        return Problem(what=f"{FILE} names a file that is not there", file=str(path), hint=_WAYS)
    try:
        _from_file(path)
    except Exception as error:
        # Reasons may repeat what stands in the file: the class has to do.
        what = f"this file contains no credentials of Google Cloud ({type(error).__name__})"
        return Problem(what=what, file=str(path), hint=_WAYS)
    return None


class AccessToken:
    """The access token of one component: fetched with the first call, and again before it expires."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Look for credentials where ``environment`` says, when the first token is asked for."""
        self._environment = environment
        self._credentials: _Credentials | None = None
        self._lock = threading.Lock()

    async def headers(self) -> tuple[dict[str, str], str]:
        """The headers that identify a call, and the token in them, which no message may repeat.

        Raises:
            JudgeError: there are no credentials, or the server of tokens refuses them or is out of reach.
        """
        credentials = self._credentials
        if credentials is None or not credentials.valid:
            work, fetched = handover(self._fetch, lambda error: RuntimeError(type(error).__name__))
            threading.Thread(target=work, name="adjudge-vertex-token", daemon=True).start()
            credentials = await fetched
        headers = {"authorization": f"Bearer {credentials.token}"}
        if credentials.quota_project_id:
            headers["x-goog-user-project"] = credentials.quota_project_id
        return headers, credentials.token or ""

    def _fetch(self) -> _Credentials:
        from google.auth.exceptions import GoogleAuthError, TransportError
        from google.auth.transport.requests import Request

        with self._lock:
            try:
                credentials = self._credentials or _load(self._environment)
                if not credentials.valid:
                    credentials.refresh(Request())
            except TransportError as error:
                cause = type(error.__cause__ or error).__name__
                raise JudgeError(
                    f"the server of Google's tokens is out of reach ({cause})", code="network"
                ) from None
            except GoogleAuthError as error:
                code: JudgeErrorCode = "server" if getattr(error, "retryable", False) else "auth"
                raise JudgeError(
                    f"Google gives no access token ({_reason(error)}). {_WAYS}", code=code
                ) from None
            except (OSError, ValueError) as error:
                raise JudgeError(
                    f"the credentials cannot be read ({type(error).__name__}). {_WAYS}", code="auth"
                ) from None
            self._credentials = credentials
            return credentials


def _load(environment: Mapping[str, str]) -> _Credentials:
    path = _file(environment)
    if path is not None:
        return _from_file(path)
    import google.auth

    library: Any = google.auth  # typed in part only, as below
    credentials, _ = library.default(scopes=_SCOPES)  # the metadata server
    return cast("_Credentials", credentials)


def _from_file(path: Path) -> _Credentials:
    import google.auth
    from google.auth import credentials as any_credentials

    library: Any = google.auth
    scoping: Any = any_credentials
    with warnings.catch_warnings():
        # It warns of files that somebody else chose; this one is the user's own, of any kind.
        warnings.simplefilter("ignore", DeprecationWarning)
        credentials, _ = library.load_credentials_from_file(str(path))
    return cast("_Credentials", scoping.with_scopes_if_required(credentials, _SCOPES))


def _file(environment: Mapping[str, str]) -> Path | None:
    """The file that is named, or the one that gcloud writes; ``None`` where there is neither."""
    if named := environment.get(FILE):
        return Path(named).expanduser()
    if folder := environment.get("CLOUDSDK_CONFIG"):
        gcloud = Path(folder)
    elif os.name == "nt":
        gcloud = Path(environment.get("APPDATA", "C:/")) / "gcloud"
    else:
        gcloud = Path(environment.get("HOME", "~")).expanduser() / ".config" / "gcloud"
    path = gcloud / "application_default_credentials.json"
    return path if path.is_file() else None


def _runs_at_google(environment: Mapping[str, str]) -> bool:
    if any(environment.get(name) for name in _SERVERLESS):
        return True
    try:
        return _PRODUCT.read_text(encoding="utf-8").startswith("Google")
    except OSError:
        return False


def _reason(error: Exception) -> str:
    """The error's code by RFC 6749, section 5.2, or its class: the rest may repeat what was sent."""
    code = str(error.args[0] if error.args else "").partition(":")[0]
    return code if _OAUTH_ERROR.match(code) else type(error).__name__
