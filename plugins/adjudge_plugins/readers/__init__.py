"""Trace readers, one plugin a folder."""
