"""Counts how often the model is right about the night's kept rows; fails below a minimum."""

import argparse
import json
import os
import sys

import model
import table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True, help="what train.py saved")
    parser.add_argument("--data", required=True)
    parser.add_argument("--night", required=True)
    parser.add_argument("--minimum-accuracy", type=float, required=True)
    arguments = parser.parse_args()

    with open(arguments.model, encoding="utf-8") as file:
        weights = json.load(file)["weights"]
    right = [
        (model.predict(weights, features) > 0.5) == bool(label)
        for number, features, label in table.read(arguments.data, arguments.night)
        if table.is_kept(number)
    ]
    accuracy = sum(right) / len(right)
    print(f"accuracy {accuracy:.3f} on {len(right)} rows", flush=True)
    if accuracy < arguments.minimum_accuracy:
        sys.exit(f"evaluate: accuracy {accuracy:.3f} is below the minimum of {arguments.minimum_accuracy}")
    # A job's outputs reach the jobs that depend on it, no further: the model is named again.
    with open(os.environ["TONY_OUTPUT_FILE"], "w", encoding="utf-8") as outputs:
        outputs.write(f"model={arguments.model}\naccuracy={accuracy:.3f}\n")


if __name__ == "__main__":
    main()
