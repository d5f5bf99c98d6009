"""How adjudge is extended: hooks, specs, protocols, the loader and the registry."""
