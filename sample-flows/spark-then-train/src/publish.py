"""Moves the model to where its readers look for it, under the execution's number; never over another."""

import argparse
import os
import sys

import storage


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--webhdfs", required=True, help="http address of the NameNode")
    parser.add_argument("--model", required=True)
    parser.add_argument("--to", required=True, help="folder on HDFS")
    arguments = parser.parse_args()

    hdfs = storage.connect(arguments.webhdfs)
    target = f"{arguments.to}/{os.path.basename(arguments.model)}"
    hdfs.makedirs(arguments.to, exist_ok=True)
    hdfs.mv(arguments.model, target)
    # HDFS answers a move that it refuses without an error.
    if hdfs.exists(arguments.model) or not hdfs.exists(target):
        sys.exit(f"publish: {arguments.model} could not be moved to {target}: is there one already?")
    print(f"published {target}", flush=True)


if __name__ == "__main__":
    main()
