"""Reads ADK's files into the model and writes them without loss; strict JSON with the place of every error.

This package supports ADK's schema, the two older formats of eval files, and configuration files. Logs of other tools
are read by trace readers.
"""
