"""Line conditions: what `tp` can say of a value at a breakpoint."""
