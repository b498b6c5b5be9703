"""A bot with the Python package: python sdk_bot.py ws://HOST:PORT/ws [odoriko|enbu|yumeochi]."""

import random
import sys

from kaguraden_client import any_value, connect, usable

url, game = [*sys.argv[1:], "odoriko"][:2]
with connect(url, "Aki") as house:
    table = house.open(game, bots="random")  # or house.join("KAGU-7Q2F")
    for decision in table.decisions():  # each time that this seat is asked something
        option = random.choice(usable(decision))
        table.answer(decision, option, any_value(option.value))
    print(table.outcome)
