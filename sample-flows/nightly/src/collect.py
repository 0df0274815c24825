"""Stands for the export of the day: rows that follow a rule with some noise, the same ones for the same night."""

import argparse
import random

import files
import table

RULE = (1.5, -2.0, 0.5, 0.0, 1.0)
NOISE = 0.2


def line(dice):
    features = [dice.gauss(0, 1) for _ in range(table.FEATURES)]
    score = sum(weight * feature for weight, feature in zip(RULE, features)) + dice.gauss(0, NOISE)
    return ",".join([*(f"{feature:.4f}" for feature in features), str(int(score > 0))])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--night", required=True)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--out", required=True, help="folder")
    arguments = parser.parse_args()

    dice = random.Random(arguments.night)
    path = table.path(arguments.out, arguments.night)
    files.replace(path, "".join(line(dice) + "\n" for _ in range(arguments.rows)))
    print(f"{arguments.rows} rows in {path}", flush=True)


if __name__ == "__main__":
    main()
