"""Trains a PyTorch model with Ray Train: one worker in each container but the chief's."""

import os
import sys
import tempfile

import ray
import torch
from ray.train import Checkpoint, RunConfig, ScalingConfig, UserCallback, get_checkpoint, get_context, report
from ray.train.torch import TorchTrainer, prepare_data_loader, prepare_model
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

import tony

EPOCHS = 20


def train_loop():
    images, digits = load_digits(return_X_y=True)
    rows = TensorDataset(torch.tensor(images / 16, dtype=torch.float32), torch.tensor(digits))
    loader = prepare_data_loader(DataLoader(rows, batch_size=64, shuffle=True))
    network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
    model = prepare_model(network)  # DistributedDataParallel, with more than one worker
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    done = 0
    if get_checkpoint():
        with get_checkpoint().as_directory() as folder:
            weights, moments, done = torch.load(f"{folder}/state.pt", map_location="cpu")
        network.load_state_dict(weights)
        optimizer.load_state_dict(moments)
    for epoch in range(done + 1, EPOCHS + 1):
        if get_context().get_world_size() > 1:
            loader.sampler.set_epoch(epoch)
        losses = []
        for points, wanted in loader:
            loss = torch.nn.functional.cross_entropy(model(points), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        metrics = {"epoch": epoch, "loss": sum(losses) / len(losses), "workers": get_context().get_world_size()}
        with tempfile.TemporaryDirectory() as folder:
            torch.save((network.state_dict(), optimizer.state_dict(), epoch), f"{folder}/state.pt")
            keep = epoch % 5 == 0 and get_context().get_world_rank() == 0
            report(metrics, checkpoint=Checkpoint.from_directory(folder) if keep else None)


class Progress(UserCallback):
    def after_report(self, run_context, metrics, checkpoint):
        tony.progress(metrics[0]["epoch"], EPOCHS, loss=metrics[0]["loss"])


ray.init(address=os.environ["RAY_ADDRESS"])
scaling = ScalingConfig(num_workers=int(os.environ["RAY_NODES"]) - 1, use_gpu=sys.argv[1] != "0")
run = RunConfig(name="digits", storage_path=os.environ["TONY_CHECKPOINT_DIR"], callbacks=[Progress()])
result = TorchTrainer(train_loop, scaling_config=scaling, run_config=run).fit()
assert result.metrics["workers"] == scaling.num_workers and result.metrics["loss"] < 0.2
tony.output(loss=result.metrics["loss"], checkpoint=result.checkpoint.path)
