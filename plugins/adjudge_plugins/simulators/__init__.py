"""User simulators, one plugin a module."""
