"""Plans and runs: from eval sets and an agent to results in a journal."""
