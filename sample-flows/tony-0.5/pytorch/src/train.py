"""Checks both ways in which a PyTorch program learns its rank, then sums the ranks at rank 0."""

import os
import socket
import sys
import time
import urllib.parse

ENV = os.environ
RANK, WORLD = int(ENV["RANK"]), int(ENV["WORLD"])
MASTER = urllib.parse.urlsplit(ENV["INIT_METHOD"])


def problems():
    chief = RANK == 0
    wanted = {
        "JOB_NAME": "worker",
        "TASK_INDEX": str(RANK),
        "TASK_NUM": "2",
        "WORLD": "2",
        "DISTRIBUTED_MODE": "GANG",
        # What torch.distributed reads by itself (init_method env://); TonY left them to the program.
        "MASTER_ADDR": MASTER.hostname,
        "MASTER_PORT": str(MASTER.port),
        "WORLD_SIZE": "2",
    }
    found = [
        f"{name}: {ENV.get(name)!r} instead of {value!r}"
        for name, value in wanted.items()
        if ENV.get(name) != value
    ]
    if MASTER.scheme != "tcp":
        found.append(f"INIT_METHOD {ENV['INIT_METHOD']!r} is not tcp://host:port")
    if (ENV.get("IS_CHIEF") == "true") != chief:
        found.append(f"IS_CHIEF {ENV.get('IS_CHIEF')!r} for rank {RANK}")
    return found


def gather():
    ranks = {0}
    with socket.create_server((MASTER.hostname, MASTER.port)) as listener:
        listener.settimeout(60)
        while len(ranks) < WORLD:
            connection, _ = listener.accept()
            with connection:
                ranks.add(int(connection.makefile().readline()))
    return sum(ranks)


def send():
    """All tasks start together: rank 0 may need a moment before it listens."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with socket.create_connection((MASTER.hostname, MASTER.port), timeout=10) as connection:
                connection.sendall(f"{RANK}\n".encode())
                return
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"rank {RANK}: no rank 0 at {ENV['INIT_METHOD']}: {error}")
            time.sleep(0.1)


if __name__ == "__main__":
    found = problems()
    if found:
        sys.exit("\n".join(found))
    if RANK == 0:
        print(f"ranks of all {WORLD} workers sum to {gather()}")
    else:
        send()
        print(f"rank {RANK} sent")
