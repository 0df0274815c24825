"""Softmax regression with Gluon; scheduler and server run in the import of mxnet and never come back from it."""

import os

import mxnet as mx
from mxnet import autograd, gluon, nd

CLASSES, FEATURES, STEPS = 4, 8, 200
store = mx.kv.create("dist_sync")
RANK, WORLD = store.rank, store.num_workers

mx.random.seed(0)
centers = nd.random.normal(shape=(CLASSES, FEATURES)) * 2


def blobs(count, seed):
    mx.random.seed(seed)
    labels = nd.random.randint(0, CLASSES, shape=(count,)).astype("float32")
    return nd.take(centers, labels) + nd.random.normal(shape=(count, FEATURES)), labels


points, labels = blobs(4000, seed=1 + RANK)
model = gluon.nn.Dense(CLASSES, in_units=FEATURES)
model.initialize(mx.init.Zero())
trainer = gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 0.1}, kvstore=store, update_on_kvstore=True)
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
for step in range(1, STEPS + 1):
    begin = step * 32 % 3900
    with autograd.record():
        loss = loss_of(model(points[begin : begin + 32]), labels[begin : begin + 32])
    loss.backward()
    trainer.step(32 * WORLD)
    if RANK == 0 and step % 50 == 0:
        with open(os.environ["TONY_PROGRESS_FILE"], "a") as progress:
            progress.write(f"step {step}/{STEPS} loss {loss.mean().asscalar():.4f}\n")

test_points, test_labels = blobs(1000, seed=99)
accuracy = float((model(test_points).argmax(axis=1) == test_labels).mean().asscalar())
assert accuracy > 0.9, f"accuracy {accuracy}"
if RANK == 0:
    with open(os.environ["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={WORLD}\n")
