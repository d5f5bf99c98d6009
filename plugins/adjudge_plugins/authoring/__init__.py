"""The command ``plugins new``, with which authors start a plugin."""
