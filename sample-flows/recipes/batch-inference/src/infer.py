"""Applies a model to this worker's share of a folder of Parquet files."""

import argparse
import os

import fsspec
import pyarrow
import pyarrow.parquet
import torch

import tony

parser = argparse.ArgumentParser()
parser.add_argument("--input", required=True, help="a folder, or a URL of fsspec's")
parser.add_argument("--output", required=True)
arguments = parser.parse_args()
task, tasks = int(os.environ.get("TASK_INDEX", "0")), int(os.environ.get("TASK_NUM", "1"))

torch.set_num_threads(1)  # as many as the container's vcores (tony.worker.vcores)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Radius(torch.nn.Module):  # in the place of a model that you load
    def forward(self, points):
        return points.square().sum(1).sqrt()


model = Radius().to(device).eval()
files, source = fsspec.url_to_fs(arguments.input)
_, target = fsspec.url_to_fs(arguments.output)
files.makedirs(target, exist_ok=True)
mine = sorted(files.glob(f"{source}/*.parquet"))[task::tasks]
rows = 0
for done, path in enumerate(mine, 1):
    result = f"{target}/{os.path.basename(path)}"
    if not files.exists(result):  # a worker that starts again leaves alone what it had finished
        table = pyarrow.parquet.read_table(path, filesystem=files)
        points = torch.stack([torch.from_numpy(table[name].to_numpy().copy()) for name in ("x", "y")], dim=1)
        with torch.inference_mode():
            radius = torch.cat([model(batch.to(device)).cpu() for batch in points.split(1024)])
        table = table.append_column("radius", pyarrow.array(radius.numpy()))
        pyarrow.parquet.write_table(table, f"{result}.part", filesystem=files)
        files.mv(f"{result}.part", result)  # a file is complete, or not there
        rows += len(table)
    tony.progress(done, len(mine))
print(f"worker {task} of {tasks}: {len(mine)} files, {rows} rows")
