"""Counts how many flowers of the test set the model names rightly; fails below a minimum."""

import argparse
import json
import sys

import softmax
from webhdfs import WebHdfs, WebHdfsError


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--webhdfs", required=True, help="http address of the NameNode")
    parser.add_argument("--model", required=True)
    parser.add_argument("--train-loss", type=float, required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--minimum-accuracy", type=float, required=True)
    arguments = parser.parse_args()

    hdfs = WebHdfs(arguments.webhdfs)
    model = json.loads(hdfs.read(arguments.model))
    rows = softmax.read_csv(hdfs.read(arguments.test))
    print(f"model {arguments.model}, train loss {arguments.train_loss}, {len(rows)} test rows")

    right = [
        label for features, label in rows
        if softmax.predict(model["weights"], softmax.scaled(features, model["scale"])) == label
    ]
    for label, name in enumerate(softmax.SPECIES):
        print(f"  {name:<10} {right.count(label)} of {sum(label == actual for _, actual in rows)} right")
    accuracy = len(right) / len(rows)
    print(f"accuracy {accuracy:.3f}", flush=True)
    if accuracy < arguments.minimum_accuracy:
        sys.exit(f"evaluate: accuracy {accuracy:.3f} is below the minimum of {arguments.minimum_accuracy}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, WebHdfsError) as error:
        sys.exit(f"evaluate: {error}")
