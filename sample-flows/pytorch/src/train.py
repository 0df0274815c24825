"""Trains a small network on all ranks with DistributedDataParallel; goes on from its checkpoint after a restart.

On a laptop: torchrun train.py
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import tony  # comes with every task; on a laptop, put TonY's tony.py beside this program

arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=200)
STEPS = arguments.parse_args().steps
EVERY = max(1, STEPS // 10)

CLASSES, FEATURES = 4, 8


def blobs(count, seed):
    centers = torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(0)) * 2
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    return centers[labels] + torch.randn(count, FEATURES, generator=generator), labels


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
start = tony.resume()
if start:
    saved = torch.load(start.path, map_location="cpu")
    first = start.step
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])

for step in range(first + 1, STEPS + 1):
    rows = torch.randint(len(points), (32,))
    loss = torch.nn.functional.cross_entropy(model(points[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    tony.progress(step, STEPS, loss=loss.detach())
    # One process keeps checkpoints. Under torchrun, rank 0 may be in another task.
    if tony.keeps_checkpoints() and step % EVERY == 0:
        path = os.path.join(tony.checkpoint_folder(), f"step-{step}.pt")
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
        tony.checkpoint(path, step)

# Replicas that saw different data, and different first weights, must hold the same model now.
weights = torch.cat([weight.detach().flatten() for weight in model.parameters()])
others = [torch.empty_like(weights) for _ in range(world)]
dist.all_gather(others, weights)
assert all(torch.equal(weights, other) for other in others), "the replicas differ"

test_points, test_labels = blobs(1000, seed=99)
accuracy = (model(test_points).argmax(1) == test_labels).float().mean().item()
assert accuracy > 0.9, f"accuracy {accuracy}"
if rank == 0:
    tony.output(accuracy=round(accuracy, 3), world=world, first_step=first)
dist.barrier()
dist.destroy_process_group()
