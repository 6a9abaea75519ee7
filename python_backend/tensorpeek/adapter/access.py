"""Who may use an adapter that listens on a port, which every user of the machine can connect to.

Editors can say a port but no secret there, so the token comes with the attributes of launch or attach.
"""

from __future__ import annotations

import os
from hmac import compare_digest

TOKEN_VARIABLE = "TENSORPEEK_ACCESS_TOKEN"
"""Whoever starts an adapter leaves the token here: other users can read its arguments, but not this."""

TOKEN_SETTING = "accessToken"
"""Where the client presents it, inside the attribute `tensorpeek`."""

ALWAYS_PERMITTED = frozenset({"initialize", "launch", "attach", "disconnect"})


def take_token() -> str:
    """The token in the environment, which from now on nobody inherits; empty when there is none."""
    return os.environ.pop(TOKEN_VARIABLE, "")


class Access:
    """Without a token it is open from the start."""

    def __init__(self, token: str = "") -> None:
        self._token = token
        self.is_open = not token

    def permits(self, command: str) -> bool:
        return self.is_open or command in ALWAYS_PERMITTED

    def present(self, token: str) -> bool:
        """Whether it is open, now that the client has presented this token."""
        self.is_open = self.is_open or compare_digest(token.encode(), self._token.encode())
        return self.is_open
