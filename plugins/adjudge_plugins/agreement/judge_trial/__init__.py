"""``adjudge judges try``: whether a model answers, and how well it meets turns that people labelled."""
