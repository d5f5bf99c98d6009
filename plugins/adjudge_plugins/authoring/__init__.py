"""What authors of plugins start from: the command ``plugins new``."""
