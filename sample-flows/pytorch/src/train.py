"""Trains a small network on all ranks with DistributedDataParallel; goes on from its checkpoint after a restart.

On a laptop: torchrun train.py
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=200)
STEPS = arguments.parse_args().steps
EVERY = max(1, STEPS // 10)

CLASSES, FEATURES = 4, 8
ENV = os.environ
# One process of the task that keeps checkpoints. Under torchrun, rank 0 may be in another task.
KEEPS = "TONY_CHECKPOINT_FILE" in ENV and ENV.get("LOCAL_RANK", "0") == "0"


def blobs(count, seed):
    centers = torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(0)) * 2
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    return centers[labels] + torch.randn(count, FEATURES, generator=generator), labels


def append(variable, line):
    """To a file of TonY's; without TonY, as on a laptop, there is none."""
    with open(ENV.get(variable, os.devnull), "a") as file:
        file.write(line + "\n")


dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)
torch.set_num_threads(1)
model = DistributedDataParallel(
    torch.nn.Sequential(torch.nn.Linear(FEATURES, 16), torch.nn.ReLU(), torch.nn.Linear(16, CLASSES))
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
points, labels = blobs(4000, seed=1 + rank)

# All ranks go on from the same checkpoint.
first = 0
if "TONY_CHECKPOINT_LATEST" in ENV:
    saved = torch.load(ENV["TONY_CHECKPOINT_LATEST"], map_location="cpu")
    first = saved["step"]
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])

for step in range(first + 1, STEPS + 1):
    rows = torch.randint(len(points), (32,))
    loss = torch.nn.functional.cross_entropy(model(points[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and step % EVERY == 0:
        append("TONY_PROGRESS_FILE", f"step {step}/{STEPS} loss {loss.item():.4f}")
    if KEEPS and step % EVERY == 0:
        path = f"{ENV['TONY_CHECKPOINT_LOCAL']}/step-{step}.pt"
        torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
        append("TONY_CHECKPOINT_FILE", f"{path} step={step}")

# Replicas that saw different data, and different first weights, must hold the same model now.
weights = torch.cat([weight.detach().flatten() for weight in model.parameters()])
others = [torch.empty_like(weights) for _ in range(world)]
dist.all_gather(others, weights)
assert all(torch.equal(weights, other) for other in others), "the replicas differ"

test_points, test_labels = blobs(1000, seed=99)
accuracy = (model(test_points).argmax(1) == test_labels).float().mean().item()
assert accuracy > 0.9, f"accuracy {accuracy}"
if rank == 0:
    append("TONY_OUTPUT_FILE", f"accuracy={accuracy:.3f}\nworld={world}\nfirst_step={first}")
dist.barrier()
