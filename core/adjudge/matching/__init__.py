"""How calls and words are compared: pure functions from the model alone."""
