"""``adjudge judges try``: tests whether a model answers, and how often it agrees with labelled turns."""
