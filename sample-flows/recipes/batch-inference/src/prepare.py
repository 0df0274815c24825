"""Writes points with two coordinates into eight Parquet files."""

import argparse

import fsspec
import numpy
import pyarrow
import pyarrow.parquet

parser = argparse.ArgumentParser()
parser.add_argument("--to", required=True)
arguments = parser.parse_args()

files, folder = fsspec.url_to_fs(arguments.to)
files.makedirs(folder, exist_ok=True)
for number in range(8):
    points = numpy.random.default_rng(number).normal(size=(5000, 2)).astype("float32")
    table = pyarrow.table({"x": points[:, 0], "y": points[:, 1]})
    pyarrow.parquet.write_table(table, f"{folder}/part-{number}.parquet", filesystem=files)
print(f"8 files in {folder}")
