"""Trains a transformer with FSDP2; its sharded checkpoints are read again by any number of workers."""

import os
import sys

import fsspec
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard

import tony

checkpoints, steps = sys.argv[1], int(sys.argv[2])  # a folder that all workers see, or a URL of fsspec's
torch.set_num_threads(1)  # as many as the container's vcores (tony.worker.vcores)
on_gpu = torch.cuda.is_available()
device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if on_gpu else "gloo", device_id=device if on_gpu else None)
rank, world = dist.get_rank(), dist.get_world_size()

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0, batch_first=True)
model = torch.nn.Sequential(torch.nn.Embedding(16, 32), torch.nn.TransformerEncoder(layer, 2), torch.nn.Linear(32, 16))
model.to(device)
for block in model[1].layers:
    fully_shard(block)
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)  # after fully_shard: of the shards

# A checkpoint is complete when it has .metadata, which is written last.
files, folder = fsspec.url_to_fs(checkpoints)
first = max((int(path.split("/")[-2].split("-")[1]) for path in files.glob(f"{folder}/step-*/.metadata")), default=0)
if first:
    weights, moments = get_state_dict(model, optimizer)
    dcp.load({"model": weights, "optimizer": moments}, checkpoint_id=f"{checkpoints}/step-{first}")
    set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=moments)

torch.manual_seed(first * 1000 + rank)  # each worker has sequences of its own
for step in range(first + 1, steps + 1):
    tokens = torch.randint(16, (16, 12), device=device)
    loss = torch.nn.functional.cross_entropy(model(tokens).transpose(1, 2), (3 * tokens + 1) % 16)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    tony.progress(step, steps, loss=loss.detach())
    if step % 30 == 0:  # on all workers: each writes its shards
        weights, moments = get_state_dict(model, optimizer)
        dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=f"{checkpoints}/step-{step}")

with torch.no_grad():
    tokens = torch.randint(16, (64, 12), device=device)
    loss = torch.nn.functional.cross_entropy(model(tokens).transpose(1, 2), (3 * tokens + 1) % 16)
assert world > 1 and loss.item() < 2.5, f"world {world}, loss {loss.item()}"
print(f"worker {rank} of {world}: went on from step {first}, loss {loss.item():.3f}")
if rank == 0:
    tony.output(world=world, first_step=first, loss=round(loss.item(), 3))
dist.destroy_process_group()
