"""Measures how fast the workers add up a tensor, which is what data-parallel training does after each step."""

import argparse
import os
import time

import torch
import torch.distributed as dist

import tony

REPEATS = 10

parser = argparse.ArgumentParser()
parser.add_argument("--mib", type=int, default=256)
parser.add_argument("--at-least", type=float, default=0, help="fails if it is less, in Gbit/s")
arguments = parser.parse_args()

on_gpu = torch.cuda.is_available()
device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if on_gpu else "gloo", device_id=device if on_gpu else None)
rank, world = dist.get_rank(), dist.get_world_size()

numbers = torch.empty(arguments.mib * 2**20 // 4, device=device)  # 4 bytes each
seconds = []
for repeat in range(REPEATS + 2):  # the first two open the connections
    numbers.fill_(1)
    dist.barrier()
    begin = time.monotonic()
    dist.all_reduce(numbers)
    if on_gpu:
        torch.cuda.synchronize()
    seconds.append(time.monotonic() - begin)
    tony.progress(repeat + 1, REPEATS + 2)
assert (numbers == world).all(), "the sum is wrong"

if rank == 0:
    median = sorted(seconds[2:])[REPEATS // 2]
    # What each worker sends, and receives: 2 (n - 1) / n of the tensor.
    gbit_per_s = 2 * (world - 1) / world * arguments.mib * 2**20 * 8 / median / 1e9
    print(f"{arguments.mib} MiB in {median * 1000:.1f} ms: {gbit_per_s:.2f} Gbit/s by {dist.get_backend()}")
    tony.output(gbit_per_s=round(gbit_per_s, 2), world=world)
    if gbit_per_s < arguments.at_least:
        raise SystemExit(f"{gbit_per_s:.2f} Gbit/s is less than --at-least {arguments.at_least}")
dist.destroy_process_group()
