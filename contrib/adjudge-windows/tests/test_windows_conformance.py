"""What adjudge asks of every granularity strategy."""

from adjudge.testing import GranularityStrategyConformance


class TestPageWindows(GranularityStrategyConformance):
    component = "windows/page_windows"


class TestToolWindows(GranularityStrategyConformance):
    component = "windows/tool_windows"
