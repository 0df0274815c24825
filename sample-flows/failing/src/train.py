"""Fits petal width to petal length; every worker on the measurements of its own field."""

import csv
import os

PASSES = 4_000_000


def read(name):
    with open(name, newline="", encoding="utf-8") as file:
        return [(float(row["petal_length"]), float(row["petal_width"])) for row in csv.DictReader(file)]


def fit(flowers):
    """Least squares by gradient descent, with a line of progress now and then."""
    slope, offset = 0.0, 0.0
    for step in range(1, PASSES + 1):
        errors = [(slope * length + offset - width, length) for length, width in flowers]
        slope -= 0.01 * sum(error * length for error, length in errors) / len(flowers)
        offset -= 0.01 * sum(error for error, _ in errors) / len(flowers)
        if step % (PASSES // 20) == 0:
            print(f"step {step}/{PASSES} slope {slope:.3f} offset {offset:.3f}", flush=True)
    return slope, offset


if __name__ == "__main__":
    index = os.environ["TASK_INDEX"]
    source = f"field-{index}.csv"
    print(f"worker {index} reads {source}", flush=True)
    slope, offset = fit(read(source))
    print(f"worker {index}: petal_width = {slope:.3f} * petal_length + {offset:.3f}")
