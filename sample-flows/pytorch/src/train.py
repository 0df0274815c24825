"""Trains a small network on all ranks with DistributedDataParallel."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

CLASSES, FEATURES, STEPS = 4, 8, 200


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
for step in range(1, STEPS + 1):
    rows = torch.randint(len(points), (32,))
    loss = torch.nn.functional.cross_entropy(model(points[rows]), labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0 and step % 50 == 0:
        with open(os.environ["TONY_PROGRESS_FILE"], "a") as progress:
            progress.write(f"step {step}/{STEPS} loss {loss.item():.4f}\n")

# Replicas that saw different data, and different first weights, must hold the same model now.
weights = torch.cat([weight.detach().flatten() for weight in model.parameters()])
others = [torch.empty_like(weights) for _ in range(world)]
dist.all_gather(others, weights)
assert all(torch.equal(weights, other) for other in others), "the replicas differ"

test_points, test_labels = blobs(1000, seed=99)
accuracy = (model(test_points).argmax(1) == test_labels).float().mean().item()
assert accuracy > 0.9, f"accuracy {accuracy}"
if rank == 0:
    with open(os.environ["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={world}\n")
dist.barrier()
