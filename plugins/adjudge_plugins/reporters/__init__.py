"""Reporters, one plugin a folder."""
