"""``static``: a user who sends prepared messages and ignores the agent's answers."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.model import Content, EvalCase, SimulatedConversation, UserTurn
from adjudge.plugin import ComponentConfig, Host, UserSimulatorSpec, hookimpl


class StaticConfig(ComponentConfig):
    """Options of ``static``."""

    messages: tuple[str, ...] = ()
    """The messages of the user after the starting prompt of a scenario, in order."""


class StaticSimulator:
    """Sends one prepared message per turn, then ends the conversation."""

    def __init__(self, config: StaticConfig, host: Host) -> None:  # noqa: ARG002 - a factory's signature
        self._messages = tuple(Content.of_text(message, role="user") for message in config.messages)

    async def next_message(self, conversation: SimulatedConversation) -> UserTurn:
        """Return the message of this turn, or the end if there are no more."""
        messages = self._of(conversation.case)
        said = len(conversation.invocations)
        if said >= len(messages):
            return UserTurn(stop="no_more_messages")
        return UserTurn(content=messages[said])

    def _of(self, case: EvalCase) -> tuple[Content, ...]:
        """The starting prompt and the messages in the options; for a case with a conversation, its user messages."""
        if case.conversation_scenario is None:
            return tuple(turn.user_content for turn in case.conversation or ())
        return (Content.of_text(case.conversation_scenario.starting_prompt, role="user"), *self._messages)


@hookimpl.user_simulators
def user_simulators() -> Iterable[UserSimulatorSpec]:
    """Describe ``static``."""
    return [
        UserSimulatorSpec(
            name="static",
            summary="Sends the starting prompt and fixed messages, independent of the agent's answers",
            factory=StaticSimulator,
            config=StaticConfig,
        )
    ]
