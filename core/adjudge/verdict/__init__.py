"""The algebra of verdicts, and aggregates: from the model alone."""
