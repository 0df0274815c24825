"""Trains with DeepSpeed's ZeRO 2: the optimizer's state and the gradients are divided among the workers."""

import os

import deepspeed
import torch

import tony

STEPS = 60
on_gpu = torch.cuda.is_available()
dtype = torch.bfloat16 if on_gpu else torch.float32
CONFIG = {
    "train_micro_batch_size_per_gpu": 32,
    "bf16": {"enabled": on_gpu},
    "zero_optimization": {"stage": 2},
    "checkpoint": {"use_node_local_storage": True},  # each worker's folder has all that the worker reads again
}

torch.set_num_threads(1)  # as many as the container's vcores (tony.worker.vcores)
if not on_gpu:
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False  # else it compiles a part in C++ here, before gloo
deepspeed.init_distributed("nccl" if on_gpu else "gloo")
rank, world = deepspeed.comm.get_rank(), deepspeed.comm.get_world_size()

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
engine, _, _, _ = deepspeed.initialize(
    model=network, optimizer=torch.optim.AdamW(network.parameters(), lr=0.01), config=CONFIG
)

start = tony.resume()
first = start.step + 1 if start else 1
if start:
    loaded, _ = engine.load_checkpoint(*os.path.split(start.path))
    assert loaded, f"DeepSpeed finds nothing in {start.path}"

torch.manual_seed(first * 1000 + rank)  # each worker has points of its own
for step in range(first, STEPS + 1):
    points = torch.randn(32, 16, device=engine.device, dtype=dtype)
    loss = torch.nn.functional.cross_entropy(engine(points), points[:, :4].argmax(1))
    engine.backward(loss)
    engine.step()
    tony.progress(step, STEPS, loss=loss.detach())
    if step % 20 == 0:
        folder, tag = tony.checkpoint_folder(), f"step-{step}"
        engine.save_checkpoint(folder, tag)  # on all workers: each writes its share
        deepspeed.comm.barrier()  # all processes of this task have written
        tony.checkpoint(os.path.join(folder, tag), step)  # has an effect in one process of each task

with torch.no_grad():
    points = torch.randn(1024, 16, device=engine.device, dtype=dtype)
    accuracy = (engine(points).argmax(1) == points[:, :4].argmax(1)).float().mean()
deepspeed.comm.all_reduce(accuracy)
accuracy = accuracy.item() / world
assert world > 1 and accuracy > 0.7, f"world {world}, accuracy {accuracy}"
if rank == 0:
    print(f"ZeRO {engine.zero_optimization_stage()} on {world} workers: accuracy {accuracy:.3f}")
    tony.output(accuracy=round(accuracy, 3), world=world, first_step=first)
deepspeed.comm.destroy_process_group()
