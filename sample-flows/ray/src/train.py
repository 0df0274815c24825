"""The chief starts Ray's head and drives; every other task is a node of Ray until the job is done."""

import os
import socket
import subprocess
import sys
import time

import numpy as np
import ray

ENV = os.environ
NODES = int(ENV["RAY_NODES"])
CLASSES, FEATURES, STEPS = 4, 8, 60
# Beside the interpreter. What it would take of the whole machine is limited to a container's share.
RAY = [
    os.path.join(os.path.dirname(sys.executable), "ray"),
    "start",
    f"--node-ip-address={ENV['RAY_NODE_IP_ADDRESS']}",
    "--num-cpus=1",
    "--object-store-memory=80000000",
]


def blobs(count, seed):
    centers = np.random.default_rng(0).normal(size=(CLASSES, FEATURES)) * 2
    generator = np.random.default_rng(seed)
    labels = generator.integers(CLASSES, size=count)
    return centers[labels] + generator.normal(size=(count, FEATURES)), labels


@ray.remote(num_cpus=1)
class Worker:
    def __init__(self, number):
        self.points, labels = blobs(1000, seed=1 + number)
        self.wanted = np.eye(CLASSES)[labels]

    def gradient(self, weights):
        scores = np.exp(self.points @ weights)
        return self.points.T @ (scores / scores.sum(1, keepdims=True) - self.wanted) / len(self.points)

    def node(self):
        return ray.get_runtime_context().get_node_id()


def answers(address):
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
        return True
    except OSError:
        return False


def drive():
    # With --block it stays, and takes its processes with it when it is told to end.
    head = subprocess.Popen([*RAY, "--head", f"--port={ENV['RAY_PORT']}", "--include-dashboard=false", "--block"])
    try:
        deadline = time.monotonic() + 120
        while not answers(ENV["RAY_ADDRESS"]):
            assert head.poll() is None and time.monotonic() < deadline, "the head did not come up within 120 s"
            time.sleep(0.2)
        ray.init(address=ENV["RAY_ADDRESS"], log_to_driver=False)
        while len([node for node in ray.nodes() if node["Alive"]]) < NODES:
            assert time.monotonic() < deadline, f"{len(ray.nodes())} of {NODES} nodes joined within 120 s"
            time.sleep(0.2)
        workers = [Worker.remote(number) for number in range(NODES)]
        nodes = set(ray.get([worker.node.remote() for worker in workers]))
        assert len(nodes) == NODES, f"the workers run on {len(nodes)} nodes"
        weights = np.zeros((FEATURES, CLASSES))
        for step in range(1, STEPS + 1):
            weights -= 0.3 * np.mean(ray.get([worker.gradient.remote(weights) for worker in workers]), axis=0)
            if step % 20 == 0:
                with open(ENV["TONY_PROGRESS_FILE"], "a") as progress:
                    progress.write(f"step {step}/{STEPS}\n")
        points, labels = blobs(1000, seed=99)
        accuracy = float(((points @ weights).argmax(1) == labels).mean())
        assert accuracy > 0.9, f"accuracy {accuracy}"
        with open(ENV["TONY_OUTPUT_FILE"], "w") as outputs:
            outputs.write(f"accuracy={accuracy:.3f}\nworld={len(nodes)}\n")
    finally:
        ray.shutdown()
        head.terminate()
        head.wait()


def lend():
    os.execv(RAY[0], [*RAY, f"--address={ENV['RAY_ADDRESS']}", "--block"])


if __name__ == "__main__":
    drive() if ENV["IS_CHIEF"] == "true" else lend()
