"""Agent adapters, one plugin a folder."""
