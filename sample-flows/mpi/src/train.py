"""Softmax regression; the gradients are summed by MPI_Allreduce."""

import os

import numpy as np
from mpi4py import MPI

CLASSES, FEATURES, STEPS = 4, 8, 200
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()


def blobs(count, seed):
    centers = np.random.default_rng(0).normal(size=(CLASSES, FEATURES)) * 2
    generator = np.random.default_rng(seed)
    labels = generator.integers(CLASSES, size=count)
    return centers[labels] + generator.normal(size=(count, FEATURES)), labels


points, labels = blobs(1000, seed=1 + rank)
wanted = np.eye(CLASSES)[labels]
weights = np.zeros((FEATURES, CLASSES))
for step in range(1, STEPS + 1):
    scores = np.exp(points @ weights)
    gradient = points.T @ (scores / scores.sum(1, keepdims=True) - wanted) / len(points)
    world.Allreduce(MPI.IN_PLACE, gradient)
    weights -= 0.2 * gradient / size
    if rank == 0 and step % 50 == 0:
        with open(os.environ["TONY_PROGRESS_FILE"], "a") as progress:
            progress.write(f"step {step}/{STEPS}\n")

assert all(np.array_equal(weights, other) for other in world.allgather(weights)), "the ranks' models differ"
test_points, test_labels = blobs(1000, seed=99)
accuracy = float(((test_points @ weights).argmax(1) == test_labels).mean())
assert accuracy > 0.9, f"accuracy {accuracy}"
if rank == 0:
    with open(os.environ["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={size}\n")
