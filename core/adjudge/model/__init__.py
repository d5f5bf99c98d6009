"""The one data model: pure, frozen data, without I/O and without plugins.

Everything that crosses a border of adjudge is one of these classes. They are
pydantic models that cannot be changed after construction; ``model_copy(update=...)``
makes a changed copy. JSON objects inside them (arguments, state, details) are plain
dictionaries and must be treated as read-only.
"""
