"""Ends while a debugger holds it: by an alarm that the system delivers."""

import signal

signal.setitimer(signal.ITIMER_REAL, 1)
print("paused here")  # @bp:here
