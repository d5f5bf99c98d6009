"""Fixtures of every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from loopback_google import Google
from pytest_httpserver import HTTPServer


@pytest.fixture(scope="session")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="session")
def server() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as made:
        yield made


@pytest.fixture
def google(
    server: HTTPServer, key: rsa.RSAPrivateKey, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Google]:
    yield Google(server, key, tmp_path_factory.mktemp("google"))
    try:
        server.check_handler_errors()
    finally:
        server.clear()
