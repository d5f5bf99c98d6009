"""The web page: a door to the rooms that the command line and Python have too. No evaluation logic lives here."""
