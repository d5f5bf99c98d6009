"""Whose credentials are used, what is said where they lack, and that nobody repeats them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from loopback_google import Google, failure
from measuring import measure, outcome, turn
from werkzeug import Response

from adjudge.plugin import (
    InputError,
)

# --- credentials --------------------------------------------------------------------------


def test_one_token_serves_many_calls(google: Google, tmp_path: Path) -> None:
    measure(google, tmp_path, "safety", *(turn(str(n), "yes") for n in range(12)))

    assert len(google.asked) == 12
    assert len(google.tokens) == 1


def test_a_token_that_expires_is_fetched_anew(google: Google, tmp_path: Path) -> None:
    google.lifetime = 1
    google.answers = [failure(503, "UNAVAILABLE", "wait", **{"Retry-After": "0"})]

    assert outcome(google, tmp_path).score == 1.0

    assert [header["authorization"] for header in google.headers] == [f"Bearer {t}" for t in google.tokens]
    assert len(google.tokens) == 2


def test_neither_key_nor_token_is_in_an_error(google: Google, tmp_path: Path) -> None:
    def repeats(body: dict[str, Any]) -> Response:
        return failure(400, "INVALID_ARGUMENT", f"you sent {google.headers[-1]}")

    google.answer = repeats
    said = outcome(google, tmp_path).model_dump_json()
    assert "you sent" in said
    assert not any(token in said for token in google.tokens)

    google.refuses = Response(
        '{"error": "invalid_grant", "error_description": "bad assertion eyJhbGciOi"}', status=400
    )
    refused = outcome(google, tmp_path)
    assert refused.error is not None
    assert refused.error.code == "auth"
    assert "invalid_grant" in refused.error.message
    assert "eyJhbGciOi" not in refused.error.message


def test_a_server_of_tokens_out_of_reach_is_said(google: Google, tmp_path: Path) -> None:
    text = google.credentials.read_text(encoding="utf-8")
    google.credentials.write_text(
        text.replace(f"{google.address}/token", "http://127.0.0.1:9/token"), encoding="utf-8"
    )
    found = outcome(google, tmp_path)

    assert found.error is not None
    assert found.error.code == "network"
    assert "tokens" in found.error.message
    assert not google.asked


def test_credentials_of_another_cloud_name_the_project_that_pays(google: Google, tmp_path: Path) -> None:
    # At the place where gcloud writes them, which nothing in the environment names.
    (tmp_path / "subject").write_text("a token of the other cloud", encoding="utf-8")
    gcloud = tmp_path / ".config" / "gcloud"
    gcloud.mkdir(parents=True)
    federated = {
        "type": "external_account",
        "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": f"{google.address}/token",
        "credential_source": {"file": str(tmp_path / "subject")},
        "quota_project_id": "payer",
    }
    (gcloud / "application_default_credentials.json").write_text(json.dumps(federated), encoding="utf-8")
    google.environment.pop("GOOGLE_APPLICATION_CREDENTIALS")
    google.environment["HOME"] = str(tmp_path)

    assert outcome(google, tmp_path).score == 1.0

    assert google.headers[-1]["x-goog-user-project"] == "payer"


# --- before the first call ----------------------------------------------------------------


def refusal(google: Google, folder: Path) -> str:
    with pytest.raises(InputError) as raised:
        outcome(google, folder)
    assert not google.tokens
    assert not google.asked
    return str(raised.value)


def test_everything_that_is_missing_is_said_at_once(google: Google, tmp_path: Path) -> None:
    google.environment = {"HOME": str(tmp_path)}

    said = refusal(google, tmp_path)

    assert "GOOGLE_CLOUD_PROJECT" in said
    assert "GOOGLE_CLOUD_LOCATION" in said
    assert "gcloud auth application-default login" in said


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("GOOGLE_CLOUD_PROJECT", "my/project", "my/project"),
        ("GOOGLE_CLOUD_LOCATION", "evil.com/", "us-central1"),
        ("GOOGLE_VERTEX_BASE_URL", "vertex.example.com", "http"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/key.json", "not there"),
    ],
)
def test_a_wrong_value_is_said(google: Google, tmp_path: Path, name: str, value: str, said: str) -> None:
    google.environment[name] = value

    assert said in refusal(google, tmp_path)


@pytest.mark.parametrize("content", ["", "[]", '{"type": "magic"}', '{"type": "service_account"}'])
def test_a_file_without_credentials_is_said(google: Google, tmp_path: Path, content: str) -> None:
    google.credentials.write_text(content, encoding="utf-8")

    assert str(google.credentials) in refusal(google, tmp_path)


def test_a_broken_key_is_not_repeated(google: Google, tmp_path: Path) -> None:
    text = google.credentials.read_text(encoding="utf-8")
    google.credentials.write_text(text.replace("-----BEGIN", "-----BEG"), encoding="utf-8")

    said = refusal(google, tmp_path)

    assert "no credentials of Google Cloud" in said
    assert google.private_key.splitlines()[1] not in said
