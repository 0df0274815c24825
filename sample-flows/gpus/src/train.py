"""Trains a small network with one process per GPU; on CPUs where there is none. On a laptop: torchrun train.py"""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import tony  # comes with every task; on a laptop, put TonY's tony.py beside this program

STEPS = 100
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", "0"))

on_gpu = torch.cuda.is_available()
device = torch.device("cuda", LOCAL_RANK) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
torch.set_num_threads(1)
dist.init_process_group("nccl" if on_gpu else "gloo", device_id=device if on_gpu else None)

torch.manual_seed(dist.get_rank())
network = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).to(device)
model = DistributedDataParallel(network, device_ids=[LOCAL_RANK] if on_gpu else None)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(1, STEPS + 1):
    points = torch.randn(64, 8, device=device)
    loss = torch.nn.functional.mse_loss(model(points), points.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    tony.progress(step, STEPS, loss=loss.detach())

assert loss.item() < 1, f"loss {loss.item()}"
tony.output(
    processes=dist.get_world_size(),
    processes_per_container=os.environ["LOCAL_WORLD_SIZE"],
    device=torch.cuda.get_device_name(device) if on_gpu else "CPU",
    loss=round(loss.item(), 3),
)
dist.barrier()
dist.destroy_process_group()
