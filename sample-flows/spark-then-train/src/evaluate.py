"""Counts how many machines of the test set the model is right about; fails below a minimum."""

import argparse
import os
import sys

import xgboost

import examples
import storage


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--webhdfs", required=True, help="http address of the NameNode")
    parser.add_argument("--data", required=True, help="folder of Parquet files on HDFS")
    parser.add_argument("--model", required=True)
    parser.add_argument("--minimum-accuracy", type=float, required=True)
    arguments = parser.parse_args()

    hdfs = storage.connect(arguments.webhdfs)
    features, labels = examples.read(hdfs, storage.parquet_files(hdfs, arguments.data))
    model = xgboost.Booster(model_file=bytearray(hdfs.cat_file(arguments.model)))
    accuracy = float(((model.predict(xgboost.DMatrix(features)) > 0.5) == labels).mean())
    print(f"accuracy {accuracy:.3f} on {len(labels)} machines", flush=True)
    if accuracy < arguments.minimum_accuracy:
        sys.exit(f"evaluate: accuracy {accuracy:.3f} is below the minimum of {arguments.minimum_accuracy}")
    # A job's outputs reach the jobs that depend on it, no further: the model is named again.
    with open(os.environ["TONY_OUTPUT_FILE"], "w", encoding="utf-8") as outputs:
        outputs.write(f"model={arguments.model}\naccuracy={accuracy:.3f}\n")


if __name__ == "__main__":
    main()
