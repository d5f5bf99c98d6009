"""``static``: a user who says what was written down, whatever the agent answers."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.model import Content, EvalCase, SimulatedConversation, UserTurn
from adjudge.plugin import ComponentConfig, Host, UserSimulatorSpec, hookimpl


class StaticConfig(ComponentConfig):
    """Options of ``static``."""

    messages: tuple[str, ...] = ()
    """What the user says after the starting prompt of a scenario, message by message."""


class StaticSimulator:
    """Says one message after the other, and then no more."""

    def __init__(self, config: StaticConfig, host: Host) -> None:  # noqa: ARG002 - a factory's signature
        self._messages = tuple(Content.of_text(message, role="user") for message in config.messages)

    async def next_message(self, conversation: SimulatedConversation) -> UserTurn:
        """The message of this turn; the end where there is none."""
        messages = self._of(conversation.case)
        said = len(conversation.invocations)
        if said >= len(messages):
            return UserTurn(stop="no_more_messages")
        return UserTurn(content=messages[said])

    def _of(self, case: EvalCase) -> tuple[Content, ...]:
        """The starting prompt and the messages of the options; of a case with a conversation its user's words."""
        if case.conversation_scenario is None:
            return tuple(turn.user_content for turn in case.conversation or ())
        return (Content.of_text(case.conversation_scenario.starting_prompt, role="user"), *self._messages)


@hookimpl.user_simulators
def user_simulators() -> Iterable[UserSimulatorSpec]:
    """Describe ``static``."""
    return [
        UserSimulatorSpec(
            name="static",
            summary="Says the starting prompt and the messages of its options, whatever the agent answers",
            factory=StaticSimulator,
            config=StaticConfig,
        )
    ]
