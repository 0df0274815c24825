"""One night's rows: five numbers, and whether the event happened (0 or 1). Every tenth row is kept for the evaluation."""

import csv

FEATURES = 5


def path(folder, night):
    return f"{folder}/{night}.csv"


def read(folder, night):
    """Yields (number, features, label)."""
    with open(path(folder, night), newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.reader(file)):
            *features, label = map(float, row)
            yield number, features, label


def is_kept(number):
    return number % 10 == 9
