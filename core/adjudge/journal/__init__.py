"""Journals, caches and recordings: the only package that uses SQLite."""
