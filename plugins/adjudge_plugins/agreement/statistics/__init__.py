"""The statistics of an agreement report: pure functions of verdicts and labels."""
