"""An object that takes 3 s to say what it is."""

import threading


class Slow:
    def __repr__(self) -> str:
        threading.Event().wait(3)
        return "slow"


value = Slow()
while True:
    step = 0  # @bp:here
    step += 1
