"""Criteria that compare texts word by word, without a judge."""
