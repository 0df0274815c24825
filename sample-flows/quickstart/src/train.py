"""Entry point of every task of the training step: parameter server or worker, by JOB_NAME."""

import argparse
import json
import os
import sys

import parameter_server
import worker
from webhdfs import WebHdfsError


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True, help="training set (CSV) in the working directory")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--webhdfs", required=True, help="http address of the NameNode")
    parser.add_argument("--model", required=True, help="where on HDFS the model goes")
    arguments = parser.parse_args()
    if arguments.steps < 1:
        parser.error(f"--steps is {arguments.steps}; at least 1 is needed")

    role, index = os.environ["JOB_NAME"], int(os.environ["TASK_INDEX"])
    cluster = json.loads(os.environ["CLUSTER_SPEC"])
    if len(cluster.get("ps", [])) != 1:
        sys.exit(f"this program wants tony.ps.instances=1; the cluster is {cluster}")
    if role == "ps":
        parameter_server.serve(cluster["ps"][0], workers=len(cluster["worker"]))
    elif role == "worker":
        worker.train(cluster, index, arguments)
    else:
        sys.exit(f"unknown role {role}: this program has ps and worker")


if __name__ == "__main__":
    try:
        main()
    except (OSError, WebHdfsError) as error:
        sys.exit(f"{os.environ.get('JOB_NAME', 'train')}: {error}")
