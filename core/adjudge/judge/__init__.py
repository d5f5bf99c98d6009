"""The judge client: from a question to votes, and from votes to decisions; once, for every provider."""
