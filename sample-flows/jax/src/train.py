"""Softmax regression on a batch that is split over all processes' devices."""

import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

ENV = os.environ
jax.config.update("jax_cpu_collectives_implementation", "gloo")
# JAX_COORDINATOR_ADDRESS it reads itself.
jax.distributed.initialize(
    num_processes=int(ENV["JAX_NUM_PROCESSES"]), process_id=int(ENV["JAX_PROCESS_ID"])
)
RANK, WORLD = jax.process_index(), jax.process_count()
CLASSES, FEATURES, STEPS = 4, 8, 200


def blobs(count, seed):
    centers = np.random.default_rng(0).normal(size=(CLASSES, FEATURES)) * 2
    generator = np.random.default_rng(seed)
    labels = generator.integers(CLASSES, size=count)
    points = centers[labels] + generator.normal(size=(count, FEATURES))
    return points.astype(np.float32), labels


mesh = Mesh(np.array(jax.devices()), ("data",))
split = NamedSharding(mesh, PartitionSpec("data"))
everywhere = NamedSharding(mesh, PartitionSpec())


def loss_of(weights, points, labels):
    scores = jax.nn.log_softmax(points @ weights)
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


@jax.jit
def train(weights, points, labels):
    loss, gradient = jax.value_and_grad(loss_of)(weights, points, labels)
    return weights - 0.2 * gradient, loss


points, labels = blobs(512, seed=1 + RANK)
points = jax.make_array_from_process_local_data(split, points)
labels = jax.make_array_from_process_local_data(split, labels)
assert points.shape[0] == 512 * WORLD, points.shape
weights = jax.device_put(np.zeros((FEATURES, CLASSES), np.float32), everywhere)
for step in range(1, STEPS + 1):
    weights, loss = train(weights, points, labels)
    if RANK == 0 and step % 50 == 0:
        with open(ENV["TONY_PROGRESS_FILE"], "a") as progress:
            progress.write(f"step {step}/{STEPS} loss {float(loss):.4f}\n")

test_points, test_labels = blobs(1000, seed=99)
model = np.asarray(weights.addressable_data(0))
accuracy = float(((test_points @ model).argmax(1) == test_labels).mean())
assert accuracy > 0.9, f"accuracy {accuracy}"
if RANK == 0:
    with open(ENV["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={WORLD}\n")
jax.distributed.shutdown()
