"""Criteria that ask a judge, with their own prompts."""
