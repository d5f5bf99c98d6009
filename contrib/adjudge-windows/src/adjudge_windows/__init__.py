"""The plugin ``windows`` of adjudge: shows a run as groups of successive steps with the same page or kind of tool."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.plugin import GranularityStrategy, GranularityStrategySpec, Host, NoConfig, hookimpl


@hookimpl.granularity_strategies
def granularity_strategies() -> Iterable[GranularityStrategySpec]:
    """Describe the strategies of this plugin."""
    yield GranularityStrategySpec(
        name="page_windows",
        summary="One line for the steps on each page",
        factory=_page_windows,
        when_to_use="The criterion is about what the agent does on each page, site or tab that it visits.",
        keywords=(
            *("each page", "every page", "per page", "on a page", "page by page"),
            *(
                "each site",
                "every site",
                "per site",
                "each website",
                "every website",
                "each tab",
                "every tab",
            ),
            *("每个页面", "每一页", "每页", "逐页", "各页面", "每个网站", "每个标签页"),
            *("各ページ", "ページごと", "각-페이지", "페이지마다"),
        ),
        fineness=0.75,  # a page is less than a phase and more than a step
    )
    yield GranularityStrategySpec(
        name="tool_windows",
        summary="One line for each row of steps with one kind of tool",
        factory=_tool_windows,
        when_to_use="The criterion is about how the agent uses kinds of tools: searching, reading, changing, running.",
        keywords=(
            *("each tool", "every tool", "per tool", "tool family", "tool families", "kind of tool"),
            *("kinds of tools", "type of tool", "types of tools", "tool choice", "choice of tools"),
            *("每种工具", "每类工具", "各类工具", "工具种类", "工具类型", "工具选择"),
            *("各ツール", "ツールごと", "각-도구", "도구마다"),
        ),
    )


def _page_windows(_config: NoConfig, _host: Host) -> GranularityStrategy:
    from adjudge_windows.strategy import Windows
    from adjudge_windows.subjects import pages

    return Windows("page_windows", pages)


def _tool_windows(_config: NoConfig, _host: Host) -> GranularityStrategy:
    from adjudge_windows.strategy import Windows
    from adjudge_windows.subjects import tools

    return Windows("tool_windows", tools)
