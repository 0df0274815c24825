"""Data-parallel training with JAX: each process feeds its share of every batch, and all hold the same weights."""

import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import tony

STEPS, BATCH, FEATURES, HIDDEN, CLASSES = 300, 256, 16, 64, 4

# JAX reads JAX_COORDINATOR_ADDRESS by itself.
jax.distributed.initialize(
    num_processes=int(os.environ["JAX_NUM_PROCESSES"]), process_id=int(os.environ["JAX_PROCESS_ID"])
)
rank, world = jax.process_index(), jax.process_count()
mesh = jax.make_mesh((jax.device_count(),), ("data",))
split, replicated = NamedSharding(mesh, PartitionSpec("data")), NamedSharding(mesh, PartitionSpec())


def rows(count, *seed):
    centers = np.random.default_rng(0).normal(size=(CLASSES, FEATURES))
    generator = np.random.default_rng(seed)
    labels = generator.integers(CLASSES, size=count)
    return (centers[labels] + generator.normal(size=(count, FEATURES))).astype(np.float32), labels


def loss_of(params, points, labels):
    scores = jax.nn.log_softmax(jax.nn.relu(points @ params["hidden"]) @ params["output"])
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


@jax.jit
def train_step(params, points, labels):
    loss, gradients = jax.value_and_grad(loss_of)(params, points, labels)
    return jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, params, gradients), loss


start = tony.resume()
key = jax.random.key(0)
new = {"hidden": jax.random.normal(key, (FEATURES, HIDDEN)) / 4, "output": np.zeros((HIDDEN, CLASSES), np.float32)}
params = jax.device_put(dict(np.load(start.path)) if start else new, replicated)
for step in range(start.step + 1 if start else 1, STEPS + 1):
    # Together, the processes' rows are one array over all devices.
    batch = [jax.make_array_from_process_local_data(split, part) for part in rows(BATCH // world, step, rank)]
    params, loss = train_step(params, *batch)
    tony.progress(step, STEPS, loss=loss)
    if step % 100 == 0 and tony.keeps_checkpoints():
        path = os.path.join(tony.checkpoint_folder(), f"step-{step}.npz")
        np.savez(path, **params)
        tony.checkpoint(path, step)

test_loss = float(loss_of(jax.tree.map(np.asarray, params), *rows(1000, 99)))
print(f"process {rank} of {world}, {jax.device_count()} devices: test loss {test_loss:.3f}")
assert world == int(os.environ["JAX_NUM_PROCESSES"]) and test_loss < 0.2
if rank == 0:
    tony.output(test_loss=f"{test_loss:.3f}", devices=jax.device_count())
