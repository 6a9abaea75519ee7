"""A frame with fifty thousand locals."""


def main():
    names = [f"name_{number}" for number in range(50_000)]
    scope = {name: number for number, name in enumerate(names)}
    lines = ["def crowded():", *(f"    {name} = {number}" for name, number in scope.items()), "    stop()"]
    space = {"stop": stop}
    exec("\n".join(lines), space)
    space["crowded"]()


def stop():
    pass  # @bp:crowded


main()
