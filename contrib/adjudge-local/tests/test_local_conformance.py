"""What adjudge asks of every judge backend."""

from adjudge.testing import JudgeBackendConformance


class TestLocal(JudgeBackendConformance):
    component = "local/local"
    config = {"context": 4096, "threads": 2}
