"""Writes figures of machines as Parquet files: what the others learn from, and a part for the test."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds

ROWS = 40_000

random = np.random.default_rng(0)
heat, vibration, load = random.normal(60, 15, ROWS), random.gamma(2, 1, ROWS), random.uniform(0, 1, ROWS)
danger = (heat - 60) / 15 + vibration - 2 + 2 * load * (vibration > 2)
table = pa.table({"heat": heat, "vibration": vibration, "load": load, "failed": (danger > 1).astype("int8")})
# Several files, so that each worker has some.
how = {"max_rows_per_file": 4_000, "max_rows_per_group": 4_000, "existing_data_behavior": "delete_matching"}
for part, rows in {"train": table.slice(0, 32_000), "test": table.slice(32_000)}.items():
    ds.write_dataset(rows, f"{sys.argv[1]}/{part}", format="parquet", **how)
    print(f"{rows.num_rows} rows in {sys.argv[1]}/{part}")
