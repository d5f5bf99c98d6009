"""Criteria, one plugin a folder."""
