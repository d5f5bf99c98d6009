"""What judge backends share: one bounded exchange of JSON, and failures in the words of ``JudgeError``.

Plugins reach it as ``adjudge.plugin.providers``.
"""

from adjudge.providers.connection import ProviderConnection
from adjudge.providers.failures import failure_of_status, retry_after_of

__all__ = ["ProviderConnection", "failure_of_status", "retry_after_of"]
