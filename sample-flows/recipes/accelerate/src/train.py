"""Learns to read handwritten digits with Hugging Face Accelerate."""

import os

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

import tony

EPOCHS = 8

accelerator = Accelerator(
    cpu=not torch.cuda.is_available(),
    project_config=ProjectConfiguration(save_on_each_node=True),  # the chief's task need not have rank 0
)
set_seed(0)
images, labels = load_digits(return_X_y=True)
images, labels = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
train = DataLoader(TensorDataset(images[:1500], labels[:1500]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(images[1500:], labels[1500:]), batch_size=100)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.005)
model, optimizer, train, test = accelerator.prepare(model, optimizer, train, test)

first_epoch = 1
start = tony.resume()  # None in the first start
if start:
    accelerator.load_state(start.path)
    first_epoch = start.step + 1

for epoch in range(first_epoch, EPOCHS + 1):
    for x, y in train:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
    tony.progress(epoch, EPOCHS, loss=loss.detach())
    path = os.path.join(tony.checkpoint_folder(), f"epoch-{epoch}")
    accelerator.save_state(path)  # on all workers
    accelerator.wait_for_everyone()  # all processes of this task have written
    if tony.keeps_checkpoints():
        tony.checkpoint(path, epoch)

right = []
with torch.no_grad():
    for x, y in test:
        right.append(accelerator.gather_for_metrics(model(x).argmax(1) == y))
right = torch.cat(right)
accuracy = right.float().mean().item()
assert accelerator.num_processes > 1 and len(right) == 297 and accuracy > 0.85, f"{len(right)} images: {accuracy}"
if accelerator.is_main_process:
    print(f"accuracy {accuracy:.3f} on {len(right)} images, trained by {accelerator.num_processes} processes")
    tony.output(accuracy=round(accuracy, 3), world=accelerator.num_processes)
accelerator.end_training()
