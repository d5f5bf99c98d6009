"""Gemini on Vertex AI as a judge.

Protocol: ``projects.locations.publishers.models.generateContent``
(https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.publishers.models/generateContent).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adjudge.kit import http_judge
from adjudge.plugin import InputError, JsonObject, JudgeError, JudgeReply, JudgeRequest
from adjudge_vertex.credentials import AccessToken, credentials_problem
from adjudge_vertex.place import place_of, place_problems


class VertexBackend:
    """Asks one of Google's models in the project and location that the environment names."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read everything from ``environment`` when a call is made."""
        self._environment = environment
        self._token = AccessToken(environment)
        self._connection = http_judge.ProviderConnection(
            classify=http_judge.generate_content_failure, delay=http_judge.generate_content_retry_after
        )

    async def complete(self, request: JudgeRequest) -> JudgeReply:
        """One call.

        Raises:
            JudgeError: there is no answer; its code says why.
        """
        try:
            place = place_of(self._environment)
        except InputError as error:
            raise JudgeError(str(error), code="auth") from None
        body = http_judge.generate_content_body(request)
        headers, token = await self._token.headers()
        answer = await self._connection.post(
            place.generate_content(request.model), body, headers=headers, secrets=[token]
        )
        return http_judge.generate_content_reply(answer.body)

    def missing(self, model: str | None) -> Iterable[str]:  # noqa: ARG002 - all models need the same
        """Project, location and credentials that are not there. Nothing is asked over the network."""
        problems = place_problems(self._environment)
        if (problem := credentials_problem(self._environment)) is not None:
            problems.append(problem)
        return [str(problem) for problem in problems]

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        if place_problems(self._environment):
            return {}
        place = place_of(self._environment)
        return {"base_url": place.base_url, "project": place.project, "location": place.location}

    async def aclose(self) -> None:
        """Close the connections."""
        await self._connection.aclose()
