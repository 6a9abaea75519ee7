"""Line conditions and log messages: compiled once, with the functions of `tp`, remembering per breakpoint."""
