"""Asynchronous training: chief, workers, parameter server and evaluator all run this program."""

import os

import tensorflow as tf

import tony  # comes with every task
from blobs import CLASSES, FEATURES, blobs

ENV = os.environ
ROLE, FOLDER = ENV["JOB_NAME"], ENV["TONY_CHECKPOINT_DIR"]
STEPS, BATCH = 300, 64
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()


def network():
    # Plain variables, so that the strategy can place each on a parameter server.
    first = tf.Variable(tf.random.stateless_normal((FEATURES, 16), (1, 2)) * 0.3, name="first")
    second = tf.Variable(tf.random.stateless_normal((16, CLASSES), (3, 4)) * 0.3, name="second")
    return [first, second]


def logits(weights, points):
    return tf.nn.relu(points @ weights[0]) @ weights[1]


def serve():
    tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
    ).join()


def coordinate():
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        weights = network()
        done = tf.Variable(0, dtype=tf.int64)
    points, labels = blobs(4000, seed=1)
    points, labels = tf.constant(points), tf.constant(labels)

    @tf.function
    def train(seed):
        rows = tf.random.stateless_uniform((BATCH,), tf.stack([seed, 1]), maxval=len(points), dtype=tf.int32)
        with tf.GradientTape() as tape:
            scores = logits(weights, tf.gather(points, rows))
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, rows), scores)
            loss = tf.reduce_mean(losses)
        for weight, gradient in zip(weights, tape.gradient(loss, weights)):
            weight.assign_sub(0.1 * gradient)
        done.assign_add(1)

    checkpoint = tf.train.Checkpoint(weights=weights, done=done)
    for begin in range(0, STEPS, 100):
        for number in range(begin, begin + 100):
            coordinator.schedule(train, args=(tf.constant(number),))
        coordinator.join()
        checkpoint.save(os.path.join(FOLDER, "model"))
        tony.progress(begin + 100, STEPS)
    placed = sorted({weight.device for weight in weights})
    assert all("/job:ps/" in device for device in placed), placed
    tony.output(steps=int(done.numpy()), weights_on=" ".join(placed))


def evaluate():
    points, labels = blobs(1000, seed=99)
    weights, done = network(), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(weights=weights, done=done)
    for path in tf.train.checkpoints_iterator(FOLDER, min_interval_secs=0, timeout=600):
        checkpoint.read(path).expect_partial()
        accuracy = float((logits(weights, points).numpy().argmax(1) == labels).mean())
        print(f"step {int(done.numpy())}: accuracy {accuracy:.3f}", flush=True)
        if int(done.numpy()) >= STEPS:
            assert accuracy > 0.9, f"accuracy {accuracy}"
            tony.output(accuracy=round(accuracy, 3))
            return
    raise SystemExit(f"no checkpoint of step {STEPS} appeared in {FOLDER}")


if __name__ == "__main__":
    {"chief": coordinate, "evaluator": evaluate, "worker": serve, "ps": serve}[ROLE]()
