"""A small network whose optimizer averages the gradients of all workers."""

import os

import horovod.torch as hvd
import torch

CLASSES, FEATURES, STEPS = 4, 8, 200


def blobs(count, seed):
    centers = torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(0)) * 2
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    return centers[labels] + torch.randn(count, FEATURES, generator=generator), labels


hvd.init()
torch.manual_seed(hvd.rank())
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(FEATURES, 16), torch.nn.ReLU(), torch.nn.Linear(16, CLASSES))
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
optimizer = hvd.DistributedOptimizer(
    torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters()
)
points, labels = blobs(4000, seed=1 + hvd.rank())
for step in range(1, STEPS + 1):
    rows = torch.randint(len(points), (32,))
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(points[rows]), labels[rows])
    loss.backward()
    optimizer.step()
    if hvd.rank() == 0 and step % 50 == 0:
        with open(os.environ["TONY_PROGRESS_FILE"], "a") as progress:
            progress.write(f"step {step}/{STEPS} loss {loss.item():.4f}\n")

# Different data and first weights everywhere, but one model.
weights = torch.cat([weight.detach().flatten() for weight in model.parameters()])
all_weights = hvd.allgather(weights.unsqueeze(0))
assert torch.allclose(all_weights, weights.expand_as(all_weights)), "the workers' models differ"
test_points, test_labels = blobs(1000, seed=99)
accuracy = (model(test_points).argmax(1) == test_labels).float().mean().item()
assert accuracy > 0.9, f"accuracy {accuracy}"
if hvd.rank() == 0:
    with open(os.environ["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={hvd.size()}\n")
hvd.shutdown()
