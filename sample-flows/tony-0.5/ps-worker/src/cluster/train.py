"""Checks what a ps or a worker is given, then every worker counts one up on the parameter server."""

import argparse
import json
import os
import re
import socket
import sys
import time

ENV = os.environ
ROLE, INDEX = ENV["JOB_NAME"], int(ENV["TASK_INDEX"])
CLUSTER = json.loads(ENV["CLUSTER_SPEC"])
TF_CONFIG = json.loads(ENV.get("TF_CONFIG", "{}"))


def problems(arguments):
    chief = (ROLE, INDEX) == ("worker", 0)
    checks = {
        "--title": (arguments.title, "two words"),
        "SEASON": (ENV.get("SEASON"), "autumn"),
        "TUNING": (ENV.get("TUNING"), "rate=0.1,decay=0.9"),
        "DISTRIBUTED_MODE": (ENV.get("DISTRIBUTED_MODE"), "GANG"),
        "IS_CHIEF": (ENV.get("IS_CHIEF", "false"), str(chief).lower()),
        "roles and sizes of CLUSTER_SPEC": (
            {role: len(members) for role, members in CLUSTER.items()},
            {"ps": 1, "worker": arguments.workers},
        ),
        "cluster of TF_CONFIG": (TF_CONFIG.get("cluster"), CLUSTER),
        "task of TF_CONFIG": (TF_CONFIG.get("task"), {"type": ROLE, "index": INDEX}),
        "SESSION_ID is a number": (ENV.get("SESSION_ID", "").isdigit(), True),
        # TonY wrote appid, in small letters.
        "APPID": (bool(re.fullmatch(r"application_\d+_\d+", ENV.get("APPID") or ENV.get("appid", ""))), True),
    }
    if ROLE == "worker":  # for a ps, TonY gave the number of workers here
        checks["TASK_NUM"] = (ENV.get("TASK_NUM"), str(arguments.workers))
    return [
        f"{name}: {actual!r} instead of {wanted!r}"
        for name, (actual, wanted) in checks.items()
        if actual != wanted
    ]


def address(endpoint):
    host, _, port = endpoint.rpartition(":")
    return host, int(port)


def count():
    """Answers every connection with the next number, until it is stopped: a ps is not waited for."""
    number = 0
    with socket.create_server(address(CLUSTER["ps"][0])) as listener:
        print("counting", flush=True)
        while True:
            connection, _ = listener.accept()
            number += 1
            with connection:
                connection.sendall(b"%d\n" % number)


def ask():
    """All tasks start together: the ps may need a moment before it listens."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with socket.create_connection(address(CLUSTER["ps"][0]), timeout=10) as connection:
                return int(connection.makefile().readline())
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"{ROLE}:{INDEX}: no ps at {CLUSTER['ps'][0]}: {error}")
            time.sleep(0.1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--title", required=True)
    found = problems(parser.parse_args())
    if found:
        sys.exit("\n".join(found))
    if ROLE == "ps":
        count()
    print(f"{ROLE}:{INDEX} is number {ask()}")
