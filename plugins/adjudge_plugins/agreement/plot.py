"""Two plots of confidence as one SVG: the effect of abstaining, and the reliability of confidence.

Lines and circles need no plotting library: the file is text, reads well in a report, and differs in a review
only where the figures do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from adjudge.kit.trace import counted
from adjudge_plugins.agreement.report import AgreementReport, CriterionAgreement

_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart with any colour vision (Okabe and Ito 2008)."""
_SIDE: Final = 280
_TOP: Final = 40
_LEFT: Final = (60, 430)
_WIDTH: Final = 750
_LINE: Final = 18
_NAME: Final = 80


def agreement_svg(report: AgreementReport) -> str:
    """The picture of every criterion whose verdicts have a confidence."""
    shown = [item for item in report.criteria if item.risk_coverage]
    low = min([0.5, *(point.agreement for item in shown for point in item.risk_coverage)])
    height = _TOP + _SIDE + 60 + _LINE * max(1, len(shown))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="sans-serif" font-size="12" fill="#222">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        *_axes(_LEFT[0], "Risk and coverage", "coverage", "agreement", (0.0, 1.0), (_tenth(low), 1.0)),
        *_axes(_LEFT[1], "Reliability", "confidence", "share right", (0.0, 1.0), (0.0, 1.0)),
        f'<path d="M{_LEFT[1]} {_TOP + _SIDE}L{_LEFT[1] + _SIDE} {_TOP}" stroke="#999" stroke-dasharray="4"/>',
    ]
    for at, item in enumerate(shown):
        colour = _COLOURS[at % len(_COLOURS)]
        parts += _curve(item, colour, _tenth(low))
        parts += _circles(item, colour)
        y = _TOP + _SIDE + 60 + _LINE * at
        parts.append(f'<rect x="{_LEFT[0]}" y="{y - 9}" width="12" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT[0] + 18}" y="{y}">{_legend(item)}</text>')
    if not shown:
        parts.append(f'<text x="{_LEFT[0]}" y="{_TOP + _SIDE + 60}">No verdict has a confidence.</text>')
    return "\n".join([*parts, "</svg>", ""])


def _legend(item: CriterionAgreement) -> str:
    name = item.criterion_name if len(item.criterion_name) <= _NAME else f"{item.criterion_name[:_NAME]}…"
    return escape(f"{name}: {counted(item.labelled, 'label')}, {counted(item.decided, 'verdict')}")


def _tenth(share: float) -> float:
    """The tenth at or below it, where an axis begins."""
    return int(share * 10) / 10


def _axes(
    left: int, title: str, below: str, beside: str, across: tuple[float, float], up: tuple[float, float]
) -> Iterator[str]:
    bottom = _TOP + _SIDE
    yield f'<text x="{left}" y="{_TOP - 14}" font-weight="bold">{title}</text>'
    yield f'<path d="M{left} {_TOP}V{bottom}H{left + _SIDE}" stroke="#222" fill="none"/>'
    for step in range(6):
        x, y = left + _SIDE * step / 5, bottom - _SIDE * step / 5
        at_x, at_y = (low + (high - low) * step / 5 for low, high in (across, up))
        if step:
            yield f'<path d="M{left} {y:g}h{_SIDE}" stroke="#eee"/>'
        yield f'<text x="{x:g}" y="{bottom + 16}" text-anchor="middle">{at_x:.1f}</text>'
        yield f'<text x="{left - 6}" y="{y + 4:g}" text-anchor="end">{at_y:.2f}</text>'
    yield f'<text x="{left + _SIDE / 2:g}" y="{bottom + 34}" text-anchor="middle">{below}</text>'
    middle = _TOP + _SIDE / 2
    yield (
        f'<text x="{left - 42}" y="{middle:g}" text-anchor="middle" '
        f'transform="rotate(-90 {left - 42} {middle:g})">{beside}</text>'
    )


def _curve(item: CriterionAgreement, colour: str, low: float) -> Iterator[str]:
    places: Sequence[tuple[float, float]] = [
        (
            _LEFT[0] + _SIDE * point.coverage,
            _TOP + _SIDE * (1 - point.agreement) / (1 - low),
        )
        for point in item.risk_coverage
    ]
    yield f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}" stroke="{colour}" fill="none"/>'
    for (x, y), point in zip(places, item.risk_coverage, strict=True):
        told = f"confidence from {point.confidence:.2f}: {point.agreement:.2f} right at {point.coverage:.2f}"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{told}</title></circle>'


def _circles(item: CriterionAgreement, colour: str) -> Iterator[str]:
    """Circles whose area is the number of verdicts."""
    most = max(found.count for found in item.reliability)
    for found in item.reliability:
        x, y = _LEFT[1] + _SIDE * found.confidence, _TOP + _SIDE * (1 - found.right)
        told = f"{found.count} verdicts of confidence {found.confidence:.2f}: {found.right:.2f} right"
        radius = 3 + 9 * (found.count / most) ** 0.5
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" fill-opacity="0.6">'
            f"<title>{told}</title></circle>"
        )
