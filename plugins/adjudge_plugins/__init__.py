"""The built-in plugins of adjudge, grouped by kind. Each has its own entry point."""
