"""Gemini on Vertex AI as a judge.

Protocol: ``projects.locations.publishers.models.generateContent``
(https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.publishers.models/generateContent).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from adjudge.kit import http_judge
from adjudge.model import JsonObject
from adjudge.plugin import Host, JudgeRequest, NoConfig
from adjudge_vertex.credentials import AccessToken, credentials_problem
from adjudge_vertex.place import place_of, place_problems


class VertexJudge(http_judge.GenerateContentJudge):
    """Asks one of Google's models in the project and location that the environment names."""

    def __init__(self, config: NoConfig, host: Host) -> None:
        """Read everything from the host's environment when a call is made."""
        super().__init__(config, host)
        self._token = AccessToken(host.environment)

    def problems(self) -> Iterator[str]:
        """What is wrong with the variables that say where."""
        yield from map(str, place_problems(self.environment))

    def url(self, request: JudgeRequest) -> str:
        """The address of the model in its project and location."""
        return place_of(self.environment).generate_content(request.model)

    async def credentials(self) -> tuple[Mapping[str, str], Sequence[str]]:
        """An access token of Google Cloud.

        Raises:
            JudgeError: there are no credentials, or the server of tokens refuses them or is out of reach.
        """
        headers, token = await self._token.headers()
        return headers, [token]

    def context(self, model: str) -> int | None:
        """That of Gemini since 1.5; other models have their own."""
        return 1_000_000 if model.startswith("gemini-") else None

    def missing(self, model: str | None) -> Iterator[str]:
        """Project, location and credentials that are not there. Nothing is asked over the network."""
        yield from super().missing(model)
        if (problem := credentials_problem(self.environment)) is not None:
            yield str(problem)

    def fingerprint(self) -> JsonObject:
        """Where the calls go."""
        if place_problems(self.environment):
            return {}
        place = place_of(self.environment)
        return {"base_url": place.base_url, "project": place.project, "location": place.location}
