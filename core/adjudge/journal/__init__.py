"""The one room that knows SQLite."""
