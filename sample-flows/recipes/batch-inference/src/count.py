"""Reads all results, and checks them."""

import argparse

import fsspec
import pyarrow.compute
import pyarrow.dataset

import tony

parser = argparse.ArgumentParser()
parser.add_argument("--folder", required=True)
arguments = parser.parse_args()

files, folder = fsspec.url_to_fs(arguments.folder)
table = pyarrow.dataset.dataset(folder, filesystem=files, format="parquet").to_table()
mean = pyarrow.compute.mean(table["radius"]).as_py()
assert len(table) == 40000 and 1.2 < mean < 1.3, f"{len(table)} rows, mean {mean}"  # of normal points: 1.253
print(f"{len(table)} rows, mean radius {mean:.3f}")
tony.output(rows=len(table), radius=round(mean, 3))
