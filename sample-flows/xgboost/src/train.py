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

arguments = argparse.ArgumentParser()
arguments.add_argument("--rounds", type=int, default=20)
ROUNDS = arguments.parse_args().rounds
EVERY = max(1, ROUNDS // 10)

ENV = os.environ
RANK, WORLD = int(ENV["RANK"]), int(ENV["DMLC_NUM_WORKER"])
# Neither is there at the first start.
LATEST, FIRST = ENV.get("TONY_CHECKPOINT_LATEST"), int(ENV.get("TONY_CHECKPOINT_STEP", 0))


class Checkpoints(xgboost.callback.TrainingCallback):
    """Names a model every few rounds; only the chief has a file to name it in."""

    def after_iteration(self, model, epoch, evals_log):
        done = FIRST + epoch + 1
        if "TONY_CHECKPOINT_FILE" in ENV and done % EVERY == 0:
            path = f"{ENV['TONY_CHECKPOINT_LOCAL']}/round-{done}.json"
            model.save_model(path)
            with open(ENV["TONY_CHECKPOINT_FILE"], "a") as names:
                names.write(f"{path} step={done}\n")
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
        xgb_model=LATEST,
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
    with open(ENV["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={WORLD}\nfirst_step={FIRST}\n")
