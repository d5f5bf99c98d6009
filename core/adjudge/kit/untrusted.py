"""Makes texts of agents, tools and users safe to show to a judge or a person."""

from adjudge.model.untrusted import addresses_judge, cleaned, defused, lines_of, said_to_judge

__all__ = ["addresses_judge", "cleaned", "defused", "lines_of", "said_to_judge"]
