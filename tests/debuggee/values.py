"""Values to change and to ask for while paused."""


class Box:
    def __init__(self, content):
        self.content = content


def main():
    box = Box(content=1)
    numbers = [1, 2, 3]
    table = {"a": 1, "b": [1, 2]}
    text = "plain"
    for turn in range(5):
        numbers.append(turn)  # @bp:turn
    return box, numbers, table, text  # @bp:end


main()
