"""Text of an agent, a tool or a user, on its way to a judge or a person."""

from adjudge.model.untrusted import addresses_judge, cleaned, defused, lines_of, said_to_judge

__all__ = ["addresses_judge", "cleaned", "defused", "lines_of", "said_to_judge"]
