"""An object whose repr takes three seconds."""

import time


class Config:
    def __repr__(self):
        time.sleep(3)
        return "Config(...)"


def main():
    config = Config()
    number = 1
    print("end")  # @bp:here
    return config, number


main()
