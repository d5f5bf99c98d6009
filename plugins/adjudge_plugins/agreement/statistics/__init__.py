"""The figures of an agreement report: pure functions of verdicts beside labels."""
