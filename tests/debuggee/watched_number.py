"""Changes plain values, without torch."""


class Holder:
    def __init__(self):
        self.number = 1


def raise_it(holder):
    note = "in here"
    holder.number += 1  # @bp:inside
    return note


def change(count):
    holder = Holder()  # @bp:begin
    total = 0
    settings = {"rate": 1.0}  # @bp:prepared
    total += count  # @bp:total
    raise_it(holder)
    settings["rate"] = 0.5  # @bp:item
    return total


change(2)
change(3)
