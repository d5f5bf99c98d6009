"""Google Cloud on loopback: the server of tokens and Vertex AI, as far as adjudge-vertex speaks to them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

PROJECT = "projects/my-project/locations/us-central1"
EVALUATE = f"/v1beta1/{PROJECT}:evaluateInstances"

Answer = dict[str, Any] | Response | Callable[[dict[str, Any]], dict[str, Any] | Response]


def failure(status: int, name: str, message: str, **headers: str) -> Response:
    """A failure in the error model of Google's APIs."""
    body = {"error": {"code": status, "message": message, "status": name}}
    return Response(json.dumps(body), status=status, content_type="application/json", headers=headers)


class Google:
    """What the two servers were asked, and what they answer."""

    def __init__(self, server: HTTPServer, key: rsa.RSAPrivateKey, folder: Path) -> None:
        self.address = server.url_for("").rstrip("/")
        self.asked: list[dict[str, Any]] = []
        """The bodies that Vertex AI was sent."""
        self.headers: list[dict[str, str]] = []
        self.tokens: list[str] = []
        """The tokens that were given out."""
        self.lifetime = 3600
        self.refuses: Response | None = None
        """What the server of tokens answers instead of a token."""
        self.answers: list[Answer] = []
        """Answered first, one after the other."""
        self.answer: Answer = {"metricResults": [{"score": 1.0}]}
        self._key = key
        self.private_key = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        self.credentials = folder / "service-account.json"
        self.credentials.write_text(
            json.dumps(
                {
                    "type": "service_account",
                    "project_id": "another-project",
                    "private_key_id": "1",
                    "private_key": self.private_key,
                    "client_email": "judge@another-project.iam.gserviceaccount.com",
                    "token_uri": f"{self.address}/token",
                }
            ),
            encoding="utf-8",
        )
        self.environment = {
            "GOOGLE_CLOUD_PROJECT": "my-project",
            "GOOGLE_CLOUD_LOCATION": "us-central1",
            "GOOGLE_APPLICATION_CREDENTIALS": str(self.credentials),
            "GOOGLE_VERTEX_BASE_URL": self.address,
        }
        server.expect_request("/token", method="POST").respond_with_handler(self._token)
        server.expect_request(re.compile("/(computeMetadata/.*)?"), method="GET").respond_with_handler(
            self._metadata
        )
        server.expect_request(EVALUATE, method="POST").respond_with_handler(self._evaluated)
        model = f"/v1/{PROJECT}/publishers/google/models/gemini-2.5-flash:generateContent"
        server.expect_request(model, method="POST").respond_with_handler(self._evaluated)

    def _token(self, request: Request) -> Response:
        """An access token for an assertion that the service account's key has signed (RFC 7523)."""
        if request.form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange":
            return self._exchanged(request)
        assert request.form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
        signed, _, signature = request.form["assertion"].rpartition(".")
        self._key.public_key().verify(
            _decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256()
        )
        claims = json.loads(_decoded(signed.partition(".")[2]))
        assert claims["scope"] == "https://www.googleapis.com/auth/cloud-platform"
        return self._granted()

    def _exchanged(self, request: Request) -> Response:
        """An access token for a token of another identity provider (RFC 8693)."""
        assert request.form["subject_token"] == "a token of the other cloud"  # noqa: S105
        return self._granted()

    def _granted(self) -> Response:
        if self.refuses is not None:
            return self.refuses
        self.tokens.append(f"ya29.secret-{len(self.tokens)}")
        body = {"access_token": self.tokens[-1], "expires_in": self.lifetime, "token_type": "Bearer"}
        body |= {"issued_token_type": "urn:ietf:params:oauth:token-type:access_token"}
        return Response(json.dumps(body), content_type="application/json")

    def _metadata(self, request: Request) -> Response:
        """The metadata server of a machine at Google
        (https://cloud.google.com/compute/docs/metadata/querying-metadata)."""
        account = "/computeMetadata/v1/instance/service-accounts/default/"
        if request.path == f"{account}token":
            answer = self._granted()
        elif request.path == account:
            body = {
                "email": "machine@my-project.iam.gserviceaccount.com",
                "scopes": [],
                "aliases": ["default"],
            }
            answer = Response(json.dumps(body), content_type="application/json")
        else:
            answer = Response("", content_type="text/plain")
        answer.headers["Metadata-Flavor"] = "Google"
        return answer

    def _evaluated(self, request: Request) -> Response:
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        if self.headers[-1].get("authorization") not in {f"Bearer {token}" for token in self.tokens}:
            return failure(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
        body = json.loads(request.get_data())
        self.asked.append(body)
        answer = self.answers.pop(0) if self.answers else self.answer
        if not isinstance(answer, dict | Response):
            answer = answer(body)
        if isinstance(answer, Response):
            return answer
        return Response(json.dumps(answer), content_type="application/json")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
