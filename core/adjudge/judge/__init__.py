"""The judge client for all providers: asks a question, collects votes, and decides."""
