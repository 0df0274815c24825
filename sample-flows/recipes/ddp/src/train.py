"""Learns to read handwritten digits with DistributedDataParallel; goes on from its checkpoint after a restart."""

import os

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import tony

EPOCHS = 10

torch.set_num_threads(1)  # as many as the container's vcores (tony.worker.vcores)
on_gpu = torch.cuda.is_available()
device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if on_gpu else torch.device("cpu")
if on_gpu:
    torch.cuda.set_device(device)
dist.init_process_group("nccl" if on_gpu else "gloo", device_id=device if on_gpu else None)
rank, world = dist.get_rank(), dist.get_world_size()

images, labels = load_digits(return_X_y=True)
images, labels = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
train, test = TensorDataset(images[:1500], labels[:1500]), TensorDataset(images[1500:], labels[1500:])
sampler = DistributedSampler(train)  # each worker has its share of each epoch
loader = DataLoader(train, batch_size=32, sampler=sampler)

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)).to(device)
model = DistributedDataParallel(network, device_ids=[device.index] if on_gpu else None)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.005)

first_epoch = 1
start = tony.resume()  # None in the first start
if start:
    saved = torch.load(start.path, map_location=device)
    network.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    first_epoch = start.step + 1

for epoch in range(first_epoch, EPOCHS + 1):
    sampler.set_epoch(epoch)
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tony.progress(epoch, EPOCHS, loss=loss.detach())
    if tony.keeps_checkpoints():
        path = os.path.join(tony.checkpoint_folder(), f"epoch-{epoch}.pt")
        torch.save({"model": network.state_dict(), "optimizer": optimizer.state_dict()}, path)
        tony.checkpoint(path, epoch)

if rank == 0:
    accuracy = (network(test[:][0].to(device)).argmax(1).cpu() == test[:][1]).float().mean().item()
    assert world > 1 and accuracy > 0.85, f"world {world}, accuracy {accuracy}"
    print(f"accuracy {accuracy:.3f} on {len(test)} images, trained by {world} workers")
    tony.output(accuracy=round(accuracy, 3), world=world)
dist.destroy_process_group()
