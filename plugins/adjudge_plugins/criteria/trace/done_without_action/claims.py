"""Phrases in which an agent claims to have changed or looked up something outside of the conversation.

The list prefers precision over recall. Claims about the answer itself (written, created, calculated,
summarised) do not count; neither do promises, conditions, questions and denials.
"""

from __future__ import annotations

import re
from typing import Final

_DEEDS: Final = (
    "bought|booked|browsed|cancelled|canceled|clicked|deleted|deployed|downloaded|emailed|executed|installed|"
    "logged (?:in|out)|looked up|ordered|paid|placed (?:an|the|your) order|purchased|refunded|rescheduled|"
    "reserved|restarted|scheduled|searched|sent|set (?:the|your)|submitted|switched (?:on|off|the)|"
    "transferred|turned (?:on|off|the)|unsubscribed|updated (?:the|your)|uploaded"
)

_ADVERBS: Final = "(?:(?:now|already|just|successfully|also|gone ahead and) ){0,3}"

_CONDITIONS: Final = "".join(
    f"(?<!{word} )" for word in ("after", "as if", "before", "if", "once", "that", "until", "when")
)

_CLAIMS: Final = re.compile(
    "|".join(
        pattern.replace(" ", r"\s")
        for pattern in (
            rf"{_CONDITIONS}\b(?:I|we)(?:['’]ve| have) {_ADVERBS}(?:{_DEEDS})\b",
            rf"{_CONDITIONS}\b(?:I|we) (?:just|successfully) (?:{_DEEDS})\b",
            rf"{_CONDITIONS}\byour [^.!?\n]{{1,60}}? (?:has|have) been {_ADVERBS}(?:{_DEEDS})\b",
            "已经?(?:成功)?[为為帮幫替给給][您你](?:成功)?"
            "(?:预订|預訂|预约|預約|订购|訂購|购买|購買|下单|下單|取消|发送|發送|提交|删除|刪除|支付|退款|上传|上傳|下载|下載|打开|打開|关闭|關閉)",
        )
    ),
    re.IGNORECASE,
)


def claimed_deed(text: str) -> str | None:
    """The first words of a text that claim a deed, quoted exactly; ``None`` if there are none."""
    found = _CLAIMS.search(text)
    return None if found is None else found[0]
