"""Boosted trees on Parquet files: each worker reads its share of them, and all grow the same trees."""

import os
import socket
import sys

import pyarrow.dataset as ds
import xgboost
from pyarrow import fs
from xgboost import collective
from xgboost.tracker import RabitTracker

import tony

store, folder = fs.FileSystem.from_uri(sys.argv[1])  # hdfs://…, s3://… or file://…
rank, world, rounds = int(os.environ["RANK"]), int(os.environ["DMLC_NUM_WORKER"]), 60


def share(part):
    files = sorted(ds.dataset(f"{folder}/{part}", filesystem=store).files)
    table = ds.dataset(files[rank::world], filesystem=store).to_table()
    print(f"{part}: {table.num_rows} rows, from {len(files[rank::world])} of {len(files)} files", flush=True)
    return {"data": table.drop_columns("failed"), "label": table["failed"]}


class Report(xgboost.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        done = model.num_boosted_rounds()
        tony.progress(done, rounds, error=evals_log["test"]["error"][-1])
        if done % 20 == 0 and tony.keeps_checkpoints():
            path = os.path.join(tony.checkpoint_folder(), f"round-{done}.ubj")
            model.save_model(path)
            tony.checkpoint(path, done)


start = tony.resume()
host, port = socket.gethostbyname(os.environ["DMLC_TRACKER_URI"]), int(os.environ["DMLC_TRACKER_PORT"])
if rank == 0:
    tracker = RabitTracker(n_workers=world, host_ip=host, port=port, sortby="task")
    tracker.start()
meeting = {"dmlc_tracker_uri": host, "dmlc_tracker_port": port, "dmlc_task_id": str(rank), "dmlc_retry": 30}
with collective.CommunicatorContext(**meeting):
    train = xgboost.QuantileDMatrix(**share("train"))
    test = xgboost.QuantileDMatrix(**share("test"), ref=train)
    model = xgboost.train(
        {"objective": "binary:logistic", "eval_metric": "error", "device": sys.argv[2], "nthread": 1},
        train,
        num_boost_round=rounds - (start.step if start else 0),
        evals=[(test, "test")],
        xgb_model=start.path if start else None,
        callbacks=[Report()],
        verbose_eval=20,
    )
    error = float(model.eval(test).split(":")[-1])  # also if there was no round left
assert error < 0.05
if rank == 0:
    tracker.wait_for()
    with store.open_output_stream(f"{folder}/model.ubj") as file:
        file.write(model.save_raw("ubj"))
    tony.output(model=f"{sys.argv[1]}/model.ubj", error=error)
