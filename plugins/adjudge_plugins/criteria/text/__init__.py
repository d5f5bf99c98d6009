"""Criteria that compare words with words, without a judge."""
