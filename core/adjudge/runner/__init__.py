"""Plans and runs: from files and an agent to journalled results."""
