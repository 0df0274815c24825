"""Synchronous training of a Keras model on all workers; goes on from its checkpoint after a restart."""

import argparse
import json
import os

import tensorflow as tf

import tony  # comes with every task; on a laptop, put TonY's tony.py beside this program
from blobs import CLASSES, FEATURES, blobs

arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=200)
STEPS = arguments.parse_args().steps
EVERY = 20
CHECKPOINT_EVERY = max(EVERY, STEPS // 10)

ENV = os.environ
# On a laptop there is no TF_CONFIG, and one worker.
LAPTOP = '{"cluster": {"worker": ["localhost"]}, "task": {"type": "worker", "index": 0}}'
CLUSTER = json.loads(ENV.get("TF_CONFIG", LAPTOP))
TASK, WORKERS = CLUSTER["task"], len(CLUSTER["cluster"]["worker"])
CHIEF = TASK["index"] == 0

strategy = tf.distribute.MultiWorkerMirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.Input((FEATURES,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(CLASSES)]
    )
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)
    step = tf.Variable(0, dtype=tf.int64, trainable=False)

loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
points, labels = blobs(4000, seed=1 + TASK["index"])
batches = iter(tf.data.Dataset.from_tensor_slices((points, labels)).repeat().shuffle(500, seed=1).batch(32))


@tf.function
def train(features, wanted):
    def replica(features, wanted):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(loss_of(wanted, model(features, training=True)))
            share = loss / WORKERS
        gradients = tape.gradient(share, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return strategy.reduce("MEAN", strategy.run(replica, args=(features, wanted)), axis=None)


shown = CHIEF and "TB_LOG_DIR" in ENV
board = tf.summary.create_file_writer(ENV["TB_LOG_DIR"]) if shown else tf.summary.create_noop_writer()
checkpoint = tf.train.Checkpoint(model=model, step=step)
start = tony.resume()
if start:
    checkpoint.read(f"{start.path}/model")
first = int(step.numpy())
print(f"worker {TASK['index']} of {strategy.num_replicas_in_sync} begins at step {first}", flush=True)

while int(step.numpy()) < STEPS:
    loss = train(*next(batches))
    step.assign_add(1)
    now = int(step.numpy())
    if now % EVERY == 0:
        with board.as_default():
            tf.summary.scalar("loss", loss, step=now)
        board.flush()
        tony.progress(now, STEPS, loss=float(loss))
    if now % CHECKPOINT_EVERY == 0:
        # Every worker writes, as TensorFlow asks of a synchronous strategy; only the chief's is read again.
        path = f"{tony.checkpoint_folder()}/step-{now}"
        checkpoint.write(f"{path}/model")
        tony.checkpoint(path, now)

test_points, test_labels = blobs(1000, seed=99)
accuracy = float((model(test_points).numpy().argmax(1) == test_labels).mean())
assert accuracy > 0.9, f"accuracy {accuracy}"
if CHIEF:
    tony.output(accuracy=round(accuracy, 3), replicas=strategy.num_replicas_in_sync, first_step=first)
