from . import agent  # noqa: F401 - as ADK has it
