"""Project, location and address of calls, from the environment.

Addresses: "Vertex AI API service endpoints" (https://cloud.google.com/vertex-ai/docs/reference/rest).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from adjudge.kit import http_judge
from adjudge.plugin import InputError, Problem
from adjudge_vertex.credentials import FILE

PROJECT: Final = "GOOGLE_CLOUD_PROJECT"
LOCATION: Final = "GOOGLE_CLOUD_LOCATION"
BASE_URL: Final = "GOOGLE_VERTEX_BASE_URL"
"""The variable that Google's own SDK reads for private endpoints."""

_PROJECT: Final = re.compile(r"[a-z0-9][a-z0-9.:-]*\Z")
_LOCATION: Final = re.compile(r"[a-z][a-z0-9-]*\Z")
_WAY: Final = "Set it in the environment, or in the .env file of the agent's folder"


@dataclass(frozen=True, slots=True)
class Place:
    """A project in a location, at an address."""

    project: str
    location: str
    base_url: str
    """Without a slash at its end."""

    @property
    def evaluate_instances(self) -> str:
        """The address of the evaluation service's method ``projects.locations.evaluateInstances``."""
        return f"{self.base_url}/v1beta1/{self._name}:evaluateInstances"

    def generate_content(self, model: str) -> str:
        """The address of ``projects.locations.publishers.models.generateContent`` for one of Google's models."""
        return f"{self.base_url}/v1/{self._name}/publishers/google/models/{quote(model, safe='')}:generateContent"

    @property
    def _name(self) -> str:
        return f"projects/{self.project}/locations/{self.location}"


def place_problems(environment: Mapping[str, str]) -> list[Problem]:
    """What is wrong with the variables that say where; empty where nothing is."""
    found: list[Problem] = []
    for name, form, example in ((PROJECT, _PROJECT, "my-project"), (LOCATION, _LOCATION, "us-central1")):
        value = environment.get(name, "").strip()
        if not value:
            found.append(Problem(what=f"{name} is not set", hint=f"{_WAY}: {name}={example}."))
        elif not form.match(value):
            found.append(
                Problem(what=f"{name} is {value!r}, expected something like {example!r}", hint=f"{_WAY}.")
            )
    url = environment.get(BASE_URL, "").strip()
    # Where FILE is not set, the credentials are the user's own all the same.
    if url and (
        problem := http_judge.address_problem(BASE_URL, url)
        or http_judge.key_problem(environment, address=BASE_URL, key=FILE)
    ):
        found.append(Problem(what=problem))
    return found


def place_of(environment: Mapping[str, str]) -> Place:
    """Where the environment says that calls go.

    Raises:
        InputError: a variable is missing, or is not what it should be.
    """
    if problems := place_problems(environment):
        raise InputError(problems)
    location = environment[LOCATION].strip()
    base_url = environment.get(BASE_URL, "").strip() or f"https://{_host(location)}"
    return Place(environment[PROJECT].strip(), location, base_url.rstrip("/"))


def _host(location: str) -> str:
    if location == "global":
        return "aiplatform.googleapis.com"
    if location in {"us", "eu"}:  # multi-regions
        return f"aiplatform.{location}.rep.googleapis.com"
    return f"{location}-aiplatform.googleapis.com"
