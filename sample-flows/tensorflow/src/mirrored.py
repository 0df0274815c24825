"""Synchronous training of a Keras model on all workers; goes on from its checkpoint after a restart."""

import argparse
import json
import os

import tensorflow as tf

from blobs import CLASSES, FEATURES, blobs

arguments = argparse.ArgumentParser()
arguments.add_argument("--steps", type=int, default=200)
STEPS = arguments.parse_args().steps
EVERY = 20

ENV = os.environ
TASK = json.loads(ENV["TF_CONFIG"])["task"]
WORKERS = int(ENV["TASK_NUM"])
CHIEF = TASK["index"] == 0
# Every worker writes, as TensorFlow asks of a synchronous strategy; only the chief's checkpoint is read again.
FOLDER = os.path.join(ENV["TONY_CHECKPOINT_DIR"], "chief" if CHIEF else f"worker-{TASK['index']}")

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


checkpoint = tf.train.Checkpoint(model=model, step=step)
manager = tf.train.CheckpointManager(checkpoint, FOLDER, max_to_keep=2)
board = tf.summary.create_file_writer(ENV["TB_LOG_DIR"]) if CHIEF else tf.summary.create_noop_writer()
latest = tf.train.latest_checkpoint(os.path.join(ENV["TONY_CHECKPOINT_DIR"], "chief"))
if latest:
    checkpoint.restore(latest)
first = int(step.numpy())
print(f"worker {TASK['index']} of {strategy.num_replicas_in_sync} begins at step {first}", flush=True)

while int(step.numpy()) < STEPS:
    loss = train(*next(batches))
    step.assign_add(1)
    now = int(step.numpy())
    if now % EVERY == 0:
        manager.save()
        with board.as_default():
            tf.summary.scalar("loss", loss, step=now)
        board.flush()
        if CHIEF:
            with open(ENV["TONY_PROGRESS_FILE"], "a") as progress:
                progress.write(f"step {now}/{STEPS} loss {float(loss):.4f}\n")

test_points, test_labels = blobs(1000, seed=99)
accuracy = float((model(test_points).numpy().argmax(1) == test_labels).mean())
assert accuracy > 0.9, f"accuracy {accuracy}"
if CHIEF:
    with open(ENV["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nreplicas={strategy.num_replicas_in_sync}\nfirst_step={first}\n")
