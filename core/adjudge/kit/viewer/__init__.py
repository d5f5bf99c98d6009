"""A viewer of runs for HTML reports and web pages: Python makes documents, and a script displays them.

**Documents** are plain JSON (see ``documents`` for their types). All texts, verdicts, differences and places of quotes
are computed in Python, by ``kit.render`` and from results; the script computes none of them. Escapes and control
characters are removed from texts, which have at most a million characters each; longer texts are truncated with the
number of omitted characters. There are three kinds of documents:

``run``
    A run with a row for each case (``RunDocument``): ``run_document(report, tally, rows, comparison)``. The cases are
    not included: the script calls ``options.load(row.key)`` to get a document ``case``.
``case``
    A case with its repeats, turns, findings, traces, and AI Judge's views (``CaseView``): ``case_view(case, report.run)``.
``trace``
    A trajectory without verdicts, for instance a session (``TraceDocument``): ``trace_document(trajectory, name)``.

To process a large report case by case, use ``render.whole_cases(report)``, call
``case_row(case, criteria_of(report), key)`` and ``case_view(case, report.run)`` for each case, and count it with ``render.Tally``.
``viewed(report)`` converts a whole small run. ``compared(before, after)`` compares two runs;
``RunReport.baseline`` is the earlier run if the user names one.

**The script** (``viewer_js()``, with the style ``viewer_css()``) defines one name::

    const viewer = adjudgeViewer.mount(element, document, options);
    viewer.destroy();
    viewer.theme('dark');

All ``options`` are optional, except ``load`` for a document ``run``:

``load(key)``
    Returns a promise of the document ``case`` of a row.
``address``
    ``{ read(): string, write(fragment, replace) }``: the storage of the current view's address; by default
    ``location.hash``. A fragment has ``view`` (``changes``), ``case`` (the row's name), ``repeat``, ``tab``
    (``result``, ``trace``, ``judge``), ``step``, ``criterion`` and ``cite`` (the index of a citation of that
    criterion, from 0), ``status``, ``q`` and ``sort``.
``hover(step)``
    Called with the step of a trace under the pointer, or ``null``, so that a page can mark the message of the step.
``part``
    Whether the viewer is part of a page that has its own main landmark, and its own buttons for the keys and the theme.
``keys``
    Keyboard shortcuts of the page, which the viewer lists after its own: ``[['g r', 'runs']]``.
``theme``
    ``auto``, ``light`` or ``dark``; by default the user's choice, or else the system's.

The viewer fills its element, which needs a height, and styles nothing outside ``.adjudge-viewer``. It makes no
requests, and never uses texts as markup or as URLs.
"""

from adjudge.kit.viewer.browser_files import viewer_css, viewer_js
from adjudge.kit.viewer.cases import case_row, case_view
from adjudge.kit.viewer.comparison import compared
from adjudge.kit.viewer.documents import VERSION, CaseView, Comparison, Row, RunDocument, TraceDocument
from adjudge.kit.viewer.runs import Viewed, criteria_of, run_document, trace_document, viewed

__all__ = [
    "VERSION",
    "CaseView",
    "Comparison",
    "Row",
    "RunDocument",
    "TraceDocument",
    "Viewed",
    "case_row",
    "case_view",
    "compared",
    "criteria_of",
    "run_document",
    "trace_document",
    "viewed",
    "viewer_css",
    "viewer_js",
]
