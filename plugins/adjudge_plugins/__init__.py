"""The built-in plugins of adjudge, grouped by kind. Each is its own entry point."""
