"""One model from the rows of all workers; rank 0 also runs the tracker at which they meet. Goes on from its checkpoint."""

import argparse
import hashlib
import os
import socket

import numpy
import xgboost
from sklearn.datasets import load_digits
from xgboost import collective
from xgboost.tracker import RabitTracker

import tony  # comes with every task

arguments = argparse.ArgumentParser()
arguments.add_argument("--rounds", type=int, default=20)
ROUNDS = arguments.parse_args().rounds
EVERY = max(1, ROUNDS // 10)

ENV = os.environ
RANK, WORLD = int(ENV["RANK"]), int(ENV["DMLC_NUM_WORKER"])
START = tony.resume()  # None in the first start
FIRST = START.step if START else 0


class Checkpoints(xgboost.callback.TrainingCallback):
    """Names a model every few rounds."""

    def after_iteration(self, model, epoch, evals_log):
        done = FIRST + epoch + 1
        tony.progress(done, ROUNDS)
        if tony.keeps_checkpoints() and done % EVERY == 0:
            path = os.path.join(tony.checkpoint_folder(), f"round-{done}.json")
            model.save_model(path)
            tony.checkpoint(path, done)
        return False  # goes on


if RANK == 0:
    tracker = RabitTracker(
        n_workers=WORLD,
        host_ip=socket.gethostbyname(ENV["DMLC_TRACKER_URI"]),
        port=int(ENV["DMLC_TRACKER_PORT"]),
        sortby="task",
    )
    tracker.start()

images, digits = load_digits(return_X_y=True)
test = slice(0, 360)
mine = slice(360 + RANK, None, WORLD)
# All start together: the tracker may come up a moment later, so the others try again.
with collective.CommunicatorContext(
    dmlc_tracker_uri=socket.gethostbyname(ENV["DMLC_TRACKER_URI"]),
    dmlc_tracker_port=int(ENV["DMLC_TRACKER_PORT"]),
    dmlc_task_id=ENV["DMLC_TASK_ID"],
    dmlc_retry=30,
):
    assert collective.get_rank() == RANK and collective.get_world_size() == WORLD
    rows = xgboost.DMatrix(images[mine], digits[mine])
    model = xgboost.train(
        {"objective": "multi:softmax", "num_class": 10, "max_depth": 4, "nthread": 1},
        rows,
        num_boost_round=ROUNDS - FIRST,
        xgb_model=START.path if START else None,
        callbacks=[Checkpoints()],
    )
    assert model.num_boosted_rounds() == ROUNDS
    # Different rows on each worker, the same trees on all: they were grown from all the rows.
    own = numpy.frombuffer(hashlib.sha256(model.save_raw("json")).digest()[:8], dtype=numpy.uint64)
    largest = collective.allreduce(own, collective.Op.MAX)
    smallest = collective.allreduce(own, collective.Op.MIN)
    assert largest == smallest, "the workers' models differ"
accuracy = float((model.predict(xgboost.DMatrix(images[test])) == digits[test]).mean())
assert accuracy > 0.9, f"accuracy {accuracy}"
if RANK == 0:
    tracker.wait_for()
    tony.output(accuracy=round(accuracy, 3), world=WORLD, first_step=FIRST)
