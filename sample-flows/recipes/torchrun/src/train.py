"""Fits a network to a function with DistributedDataParallel, in all processes that torchrun has started."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import tony

STEPS = 300

torch.set_num_threads(1)  # times the processes of a container: its vcores (tony.worker.vcores)
local_rank = int(os.environ["LOCAL_RANK"])
on_gpu = torch.cuda.is_available()
device = torch.device("cuda", local_rank) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if on_gpu else "gloo", device_id=device if on_gpu else None)
rank, world = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).to(device)
model = DistributedDataParallel(network, device_ids=[local_rank] if on_gpu else None)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

first = 1
start = tony.resume()  # every process of every task gets the same checkpoint
if start:
    saved = torch.load(start.path, map_location=device)
    network.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    first = start.step + 1

torch.manual_seed(first * world + rank)  # each process draws points of its own
for step in range(first, STEPS + 1):
    points = torch.rand(64, 2, device=device) * 2 - 1
    wanted = torch.sin(3 * points[:, :1]) * points[:, 1:]
    loss = torch.nn.functional.mse_loss(model(points), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    tony.progress(step, STEPS, loss=loss.detach())
    if step % 100 == 0 and tony.keeps_checkpoints():  # in one process: LOCAL_RANK 0 of the chief's task
        path = os.path.join(tony.checkpoint_folder(), f"step-{step}.pt")
        torch.save({"model": network.state_dict(), "optimizer": optimizer.state_dict()}, path)
        tony.checkpoint(path, step)

with torch.no_grad():
    points = torch.rand(1024, 2, device=device) * 2 - 1
    wanted = torch.sin(3 * points[:, :1]) * points[:, 1:]
    loss = torch.nn.functional.mse_loss(network(points), wanted)
dist.all_reduce(loss)
mean = loss.item() / world
assert world > 1 and mean < 0.05, f"world {world}, loss {mean}"
if local_rank == 0:
    print(f"rank {rank} of {world}, {os.environ['LOCAL_WORLD_SIZE']} processes in this container, loss {mean:.4f}")
if rank == 0:
    tony.output(loss=round(mean, 4), world=world)
dist.destroy_process_group()
