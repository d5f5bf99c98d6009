"""The extension system: hooks, specs, protocols, the loader and the registry."""
