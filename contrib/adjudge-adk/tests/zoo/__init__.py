"""Agents of every kind that google-adk has, each with its cases and what becomes of them.

``CASES`` are the turns of each case, ``EXPECTED`` their statuses and what the agent called in each turn.
"""
