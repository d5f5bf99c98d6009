"""Judge backends, one plugin a module."""
