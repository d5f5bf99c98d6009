"""File formats: reads into and writes from the model."""
