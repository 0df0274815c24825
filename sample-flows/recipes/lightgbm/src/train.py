"""Boosted trees on Parquet files: each worker reads its share of them, and all grow the same trees."""

import os
import socket
import sys

import lightgbm
import pyarrow.dataset as ds
from pyarrow import fs

import tony

store, folder = fs.FileSystem.from_uri(sys.argv[1])  # hdfs://…, s3://… or file://…
rank, world, rounds = int(os.environ["RANK"]), int(os.environ["LIGHTGBM_NUM_MACHINES"]), 60


def read(part, first=0, every=1):
    files = sorted(ds.dataset(f"{folder}/{part}", filesystem=store).files)
    table = ds.dataset(files[first::every], filesystem=store).to_table()
    print(f"{part}: {table.num_rows} rows, from {len(files[first::every])} of {len(files)} files", flush=True)
    return table.drop_columns("failed"), table["failed"]


def by_address(machine):
    """LightGBM finds itself in the list of machines by its address, not by its name."""
    host, port = machine.rsplit(":", 1)
    return f"{socket.gethostbyname(host)}:{port}"


def report(env):
    done = env.iteration + 1  # Rounds of an earlier start count, too.
    tony.progress(done, rounds)
    if done % 20 == 0 and tony.keeps_checkpoints():
        path = os.path.join(tony.checkpoint_folder(), f"round-{done}.txt")
        env.model.save_model(path)
        tony.checkpoint(path, done)


machines = ",".join(map(by_address, os.environ["LIGHTGBM_MACHINES"].split(",")))
port = int(os.environ["LIGHTGBM_LOCAL_LISTEN_PORT"])
how = {"objective": "binary", "tree_learner": "data", "pre_partition": True, "num_threads": 1, "verbose": -1}
start = tony.resume()
if start and start.step == rounds:  # a restart after the last round
    model = lightgbm.Booster(model_file=start.path)
else:
    model = lightgbm.train(
        how | {"num_machines": world, "machines": machines, "local_listen_port": port},
        lightgbm.Dataset(*read("train", rank, world)),  # pre_partition: each worker has rows of its own
        num_boost_round=rounds - (start.step if start else 0),
        init_model=start.path if start else None,
        callbacks=[report],
    )
if rank == 0:
    features, failed = read("test")
    error = float(((model.predict(features) > 0.5) != failed.to_numpy()).mean())
    print(f"{model.num_trees()} trees, test error {error:.4f}")
    assert error < 0.05
    with store.open_output_stream(f"{folder}/model.txt") as file:
        file.write(model.model_to_string().encode())
    tony.output(model=f"{sys.argv[1]}/model.txt", error=error)
