"""``HttpJudge``: the base of judge backends that ask over HTTP, one POST of JSON for every request."""

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
    """A ``JudgeBackend``. A subclass names its variables, and says how a request becomes a body and an answer a reply.

    The class itself can be the ``factory`` of a spec. The environment is read anew with every call. A key is
    sent to an address of a ``.env`` file only where it comes from the same file, and no message repeats it.
    Everything may be overridden; ``body`` and ``reply`` must be.
    """

    address_variable: ClassVar[str] = ""
    """The environment variable that holds the base address."""
    default_address: ClassVar[str] = ""
    """The base address where that variable is not set; empty where it must be set."""
    path: ClassVar[str] = ""
    """What follows the base address, for instance ``/v1/messages``. Where it depends on the model, override ``url``."""
    key_variables: ClassVar[tuple[str, ...]] = ()
    """The environment variables that may hold the key: the first that is set holds. Empty where no key is needed."""
    no_address_message: ClassVar[str] = ""
    """What is said where no address is set; empty: "NAME is not set"."""
    no_key_message: ClassVar[str] = ""
    """What is said where no key is set; empty: "NAME is not set"."""

    def __init__(self, config: ComponentConfig, host: Host) -> None:  # noqa: ARG002 - a factory's signature
        """Prepare; a connection is opened with the first call, and a key is needed only then."""
        self.environment = host.environment
        self._connection = ProviderConnection(
            error_code=self.error_code, retry_after=self.retry_after, is_answer=self.is_answer
        )

    @abstractmethod
    def body(self, request: JudgeRequest) -> JsonObject:
        """The body of a call; see ``with_options`` for ``request.provider_options``.

        Raises:
            JudgeError: the provider cannot be asked so, for instance with a parameter that it does not have.
        """

    @abstractmethod
    def reply(self, answer: HttpAnswer) -> JudgeReply:
        """What a provider's answer says. A refusal and a blocked question are replies with that ``finish_reason``.

        Raises:
            JudgeError: the answer is not what the provider documents (``malformed``), or reports an error.
        """

    def headers(self) -> Mapping[str, str]:
        """The headers of a call: the key as ``Authorization: Bearer KEY``, where there is one."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def error_code(self, status: int, body: Any) -> JudgeErrorCode | None:  # noqa: ARG002 - for subclasses
        """What a failure means by the provider's own words; ``None`` where only the HTTP status tells.

        Args:
            status: The HTTP status, not 200 to 299.
            body: The JSON of the answer; ``None`` where it is none.
        """
        return None

    def retry_after(self, body: Any) -> float | None:  # noqa: ARG002 - for subclasses
        """Seconds that the body of a failure asks to wait; ``None`` where it says nothing. Headers are read before."""
        return None

    def is_answer(self, status: int, body: Any) -> bool:  # noqa: ARG002 - for subclasses
        """Whether a failure is for ``reply`` all the same: where a provider says with a status that it blocked the question."""
        return False

    @property
    def address(self) -> str:
        """The base address, without a slash at its end; empty where it is not set and has no default."""
        return self.variable(self.address_variable).rstrip("/") or self.default_address

    def url(self, request: JudgeRequest) -> str:  # noqa: ARG002 - for subclasses
        """The whole address of a call, without a key in it."""
        return f"{self.address}{self.path}"

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key; empty where none of ``key_variables`` is set."""
        return next((name for name in self.key_variables if self.variable(name)), "")

    @property
    def key(self) -> str:
        """The key; empty where none is set."""
        return self.variable(self.key_variable)

    @property
    def needs_key(self) -> bool:
        """Whether a call without a key is not worth making."""
        return bool(self.key_variables)

    def variable(self, name: str) -> str:
        """The value of an environment variable, without spaces around it; empty where it is not set."""
        return self.environment.get(name, "").strip()

    def problems(self) -> Iterator[str]:
        """Why no call can be made, one message each: what the address and the key lack. Nothing is asked."""
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
        """``headers``, and the secrets in them, which no message repeats. Override it where a token must be fetched.

        Raises:
            JudgeError: there are none.
        """
        return self.headers(), [self.variable(name) for name in self.key_variables]

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        for problem in self.problems():
            raise JudgeError(problem, code="auth")
        headers, secrets = await self.credentials()
        return await self.ask(self.url(request), request, headers=headers, secrets=secrets)

    async def ask(
        self, url: str, request: JudgeRequest, *, headers: Mapping[str, str], secrets: Iterable[str]
    ) -> JudgeReply:
        """One call to a server whose address is known: body, exchange and reply.

        Args:
            url: The whole address, without a key in it.
            request: What is asked.
            headers: With the key, where there is one.
            secrets: Keys, which no message repeats.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        answer = await self._connection.post(url, self.body(request), headers=headers, secrets=secrets)
        return self.reply(answer)

    def missing(self, model: str | None) -> Iterator[str]:  # noqa: ARG002 - only a call shows which models there are
        """What a plan says before anything is called: ``problems``, and what a subclass can find out of a model."""
        yield from self.problems()

    def fingerprint(self) -> JsonObject:
        """Where the calls go: answers from elsewhere are not taken from the cache."""
        usable = self.address and not address_problem(self.address_variable, self.address)
        return {"base_url": self.address if usable else None}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()
