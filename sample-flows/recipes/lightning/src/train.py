"""Learns to read handwritten digits with Lightning."""

import os

import pytorch_lightning as lightning
import torch
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

import tony


class Digits(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))

    def training_step(self, batch, _):
        images, labels = batch
        loss = torch.nn.functional.cross_entropy(self.network(images), labels)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        images, labels = batch
        right = (self.network(images).argmax(1) == labels).float().mean()
        self.log("accuracy", right, sync_dist=True)  # over all workers

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.005)


torch.set_num_threads(1)  # as many as the container's vcores (tony.worker.vcores)
lightning.seed_everything(0)
images, labels = load_digits(return_X_y=True)
images, labels = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
train = DataLoader(TensorDataset(images[:1500], labels[:1500]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(images[1500:], labels[1500:]), batch_size=100)

processes = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))  # of this container
trainer = lightning.Trainer(
    max_epochs=8,
    accelerator="auto",
    devices=processes,
    num_nodes=int(os.environ.get("WORLD_SIZE", "1")) // processes,
    strategy="ddp",
    callbacks=[tony.lightning_callback()],  # progress, and a checkpoint after each epoch
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
)
start = tony.resume()  # None in the first start
model = Digits()
trainer.fit(model, train, test, ckpt_path=start.path if start else None)
accuracy = trainer.validate(model, test, verbose=False)[0]["accuracy"]  # also if there was no epoch left
assert trainer.world_size > 1 and accuracy > 0.85, f"world {trainer.world_size}, accuracy {accuracy}"
if trainer.is_global_zero:
    print(f"accuracy {accuracy:.3f}, trained by {trainer.world_size} processes in {trainer.global_step} steps")
    tony.output(accuracy=round(accuracy, 3), world=trainer.world_size)
