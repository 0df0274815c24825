"""Checks what each role of an estimator job is given; the chief then waits for word of all others."""

import json
import os
import signal
import socket
import sys
import time

ENV = os.environ
ROLE, INDEX = ENV["JOB_NAME"], int(ENV["TASK_INDEX"])
CLUSTER = json.loads(ENV["CLUSTER_SPEC"])
TF_CONFIG = json.loads(ENV["TF_CONFIG"])
ROLES = {"chief": 1, "worker": 2, "evaluator": 1}


def sizes(cluster):
    return {role: len(members) for role, members in cluster.items()}


def problems():
    training = {role: size for role, size in ROLES.items() if role != "evaluator"}
    checks = {
        "SEASON": (ENV.get("SEASON"), "autumn"),
        "YEAR": (ENV.get("YEAR"), "1936"),
        "DISTRIBUTED_MODE": (ENV.get("DISTRIBUTED_MODE"), "GANG"),
        "IS_CHIEF": (ENV.get("IS_CHIEF", "false"), str(ROLE == "chief").lower()),
        "CLUSTER_SPEC": (sizes(CLUSTER), ROLES),
        "task of TF_CONFIG": (TF_CONFIG["task"], {"type": ROLE, "index": INDEX}),
        "TB_PORT is set": ("TB_PORT" in ENV, ROLE == "chief"),
    }
    if ROLE != "evaluator":  # TensorFlow's training cluster does not know the evaluator
        checks["cluster of TF_CONFIG"] = (sizes(TF_CONFIG["cluster"]), training)
    return [
        f"{name}: {actual!r} instead of {wanted!r}"
        for name, (actual, wanted) in checks.items()
        if actual != wanted
    ]


def chief_address():
    host, _, port = CLUSTER["chief"][0].rpartition(":")
    return host, int(port)


def hear():
    waited = {f"{role}:{index}" for role, size in ROLES.items() if role != "chief" for index in range(size)}
    with socket.create_server(chief_address()) as listener:
        listener.settimeout(60)
        while waited:
            connection, _ = listener.accept()
            with connection:
                name = connection.makefile().readline().strip()
            print(f"heard of {name}", flush=True)
            waited.discard(name)


def tell():
    """All tasks start together: the chief may need a moment before it listens."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with socket.create_connection(chief_address(), timeout=10) as connection:
                connection.sendall(f"{ROLE}:{INDEX}\n".encode())
                return
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"{ROLE}:{INDEX}: no chief at {CLUSTER['chief'][0]}: {error}")
            time.sleep(0.1)


if __name__ == "__main__":
    found = problems()
    if found:
        sys.exit("\n".join(found))
    if ROLE == "chief":
        hear()
    else:
        tell()
    print(f"{ROLE}:{INDEX} is satisfied", flush=True)
    while ROLE == "evaluator":  # untracked: stopped when chief and workers are done
        signal.pause()
