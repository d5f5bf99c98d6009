"""The verdict algebra and the summary of a run."""
