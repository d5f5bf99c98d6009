"""``HttpJudge``: the base class of judge backends that send one POST with JSON for each request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from adjudge.errors import JudgeError, JudgeErrorCode
from adjudge.kit.http_judge.addresses import address_problem
from adjudge.kit.http_judge.connection import HttpAnswer, ProviderConnection
from adjudge.kit.http_judge.keys import key_problem
from adjudge.model.base import JsonObject
from adjudge.model.judging import JudgeReply, JudgeRequest
from adjudge.plugin import ComponentConfig, Host


class HttpJudge(ABC):
    """A ``JudgeBackend``. Subclasses define its environment variables, and convert requests and answers.

    The class itself can be the ``factory`` of a spec. The environment is read at every call. If the address is from a
    ``.env`` file, only a key from the same file is sent to it. Messages never contain keys. Subclasses must implement
    ``body`` and ``reply``, and may override everything else.
    """

    address_variable: ClassVar[str] = ""
    """The environment variable with the base address."""
    default_address: ClassVar[str] = ""
    """The base address if that variable is not set; empty if it must be set."""
    path: ClassVar[str] = ""
    """The path after the base address, for instance ``/v1/messages``. If it depends on the model, override ``url``."""
    key_variables: ClassVar[tuple[str, ...]] = ()
    """The environment variables with the key; the first that is set is used. Empty if no key is needed."""
    no_address_message: ClassVar[str] = ""
    """The message if no address is set; by default "NAME is not set"."""
    no_key_message: ClassVar[str] = ""
    """The message if no key is set; by default "NAME is not set"."""

    def __init__(self, config: ComponentConfig, host: Host) -> None:  # noqa: ARG002 - a factory's signature
        """Create the backend. The first call opens a connection; a key is needed only then."""
        self.environment = host.environment
        self._connection = ProviderConnection(
            error_code=self.error_code, retry_after=self.retry_after, is_answer=self.is_answer
        )

    @abstractmethod
    def body(self, request: JudgeRequest) -> JsonObject:
        """Convert a request to the body of a call; use ``with_options`` for ``request.provider_options``.

        Raises:
            JudgeError: the provider does not support the request, for instance one of its parameters.
        """

    @abstractmethod
    def reply(self, answer: HttpAnswer) -> JudgeReply:
        """Convert an answer to a reply. A refusal or a blocked question is a reply with that ``finish_reason``.

        Raises:
            JudgeError: the answer does not match the provider's documentation (``malformed``), or reports an error.
        """

    def headers(self) -> Mapping[str, str]:
        """The headers of a call: ``Authorization: Bearer KEY`` if there is a key."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:  # noqa: ARG002 - for subclasses
        """The error code of a failure from its body; ``None`` to derive it from the HTTP status.

        Args:
            status: The HTTP status, not 200 to 299.
            body: The JSON of the answer; ``None`` if it is not JSON.
        """
        return None

    def retry_after(self, body: Any) -> float | None:  # noqa: ARG002 - for subclasses
        """The waiting time in seconds from the body of a failure; ``None`` if there is none. Headers are read first."""
        return None

    def is_answer(self, status: int, body: Any) -> bool:  # noqa: ARG002 - for subclasses
        """Whether ``reply`` handles this failure: some providers report a blocked question with an error status."""
        return False

    @property
    def address(self) -> str:
        """The base address without a slash at its end; empty if it is not set and has no default."""
        return self.variable(self.address_variable).rstrip("/") or self.default_address

    def url(self, request: JudgeRequest) -> str:  # noqa: ARG002 - for subclasses
        """The full address of a call, without a key in it."""
        return f"{self.address}{self.path}"

    @property
    def key_variable(self) -> str:
        """The environment variable with the key; empty if none of ``key_variables`` is set."""
        return next((name for name in self.key_variables if self.variable(name)), "")

    @property
    def key(self) -> str:
        """The key; empty if none is set."""
        return self.variable(self.key_variable)

    @property
    def needs_key(self) -> bool:
        """Whether calls need a key."""
        return bool(self.key_variables)

    def variable(self, name: str) -> str:
        """The value of an environment variable without surrounding spaces; empty if it is not set."""
        return self.environment.get(name, "").strip()

    def problems(self) -> Iterator[str]:
        """Messages about a missing or invalid address or key, without a call to the server."""
        if not self.address:
            yield self.no_address_message or f"{self.address_variable} is not set"
        elif problem := address_problem(self.address_variable, self.address):
            yield problem
        if self.key:
            problem = key_problem(self.environment, address=self.address_variable, key=self.key_variable)
            if problem:
                yield problem
        elif self.needs_key:
            yield self.no_key_message or f"{' or '.join(self.key_variables)} is not set"

    async def credentials(self) -> tuple[Mapping[str, str], Sequence[str]]:
        """``headers``, and the secrets in them, which messages must not contain. Override it to fetch a token.

        Raises:
            JudgeError: there are no credentials.
        """
        return self.headers(), [self.variable(name) for name in self.key_variables]

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """Make one call.

        Raises:
            JudgeError: there is no answer; its code is the reason.
        """
        for problem in self.problems():
            raise JudgeError(problem, code="auth")
        headers, secrets = await self.credentials()
        return await self.ask(self.url(request), request, headers=headers, secrets=secrets)

    async def ask(
        self, url: str, request: JudgeRequest, *, headers: Mapping[str, str], secrets: Iterable[str]
    ) -> JudgeReply:
        """Make one call to the given address.

        Args:
            url: The full address, without a key in it.
            request: The request.
            headers: The headers, including the key if there is one.
            secrets: Keys, which messages must not contain.

        Raises:
            JudgeError: there is no answer; its code is the reason.
        """
        answer = await self._connection.post(url, self.body(request), headers=headers, secrets=secrets)
        return self.reply(answer)

    def missing(self, model: str | None) -> Iterator[str]:  # noqa: ARG002 - only a call shows which models there are
        """The missing requirements before a call: ``problems``; subclasses may also check the model."""
        yield from self.problems()

    def fingerprint(self) -> JsonObject:
        """The address, so that cached answers of another address are not used."""
        usable = self.address and not address_problem(self.address_variable, self.address)
        return {"base_url": self.address if usable else None}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()
