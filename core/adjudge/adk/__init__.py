"""ADK's files, read into the model and written from it without loss; strict JSON with places.

This room knows ADK's schema, both shapes from before it, and configuration files. The logs of other tools are the
business of trace readers.
"""
