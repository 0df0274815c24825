"""One model from the rows of all workers; rank 0 also runs the tracker at which they meet, and saves the model."""

import argparse
import os
import socket
import sys

import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

import examples
import storage

ENV = os.environ
RANK, WORLD = int(ENV["RANK"]), int(ENV["DMLC_NUM_WORKER"])


def train(features, labels):
    tracker_host = socket.gethostbyname(ENV["DMLC_TRACKER_URI"])
    tracker_port = int(ENV["DMLC_TRACKER_PORT"])
    if RANK == 0:
        tracker = RabitTracker(n_workers=WORLD, host_ip=tracker_host, port=tracker_port, sortby="task")
        tracker.start()
    # All start together: the tracker may come up a moment later, so the others try again.
    with collective.CommunicatorContext(
        dmlc_tracker_uri=tracker_host,
        dmlc_tracker_port=tracker_port,
        dmlc_task_id=ENV["DMLC_TASK_ID"],
        dmlc_retry=30,
    ):
        model = xgboost.train(
            {"objective": "binary:logistic", "max_depth": 3, "nthread": 1},
            xgboost.DMatrix(features, labels),
            num_boost_round=20,
        )
    if RANK == 0:
        tracker.wait_for()
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--webhdfs", required=True, help="http address of the NameNode")
    parser.add_argument("--data", required=True, help="folder of Parquet files on HDFS")
    parser.add_argument("--model", required=True, help="where on HDFS the model goes")
    arguments = parser.parse_args()

    hdfs = storage.connect(arguments.webhdfs)
    files = storage.parquet_files(hdfs, arguments.data)
    if len(files) < WORLD:
        sys.exit(f"train: {arguments.data} has {len(files)} Parquet files; each of {WORLD} workers needs one")
    mine = files[RANK::WORLD]
    features, labels = examples.read(hdfs, mine)
    print(f"{len(labels)} rows of {len(mine)} files", flush=True)
    model = train(features, labels)
    if RANK == 0:
        hdfs.makedirs(os.path.dirname(arguments.model), exist_ok=True)
        hdfs.pipe_file(arguments.model, bytes(model.save_raw("json")))
        with open(ENV["TONY_OUTPUT_FILE"], "w", encoding="utf-8") as outputs:
            outputs.write(f"model={arguments.model}\nrows={len(labels)}\n")


if __name__ == "__main__":
    main()
