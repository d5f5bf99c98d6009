"""Judge backends, one plugin a folder."""
