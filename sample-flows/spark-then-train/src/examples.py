"""What prepare.py wrote, as XGBoost takes it."""

import numpy
import pyarrow.parquet

FEATURES = ["heat_mean", "heat_max", "shake_mean", "shake_spread"]


def read(hdfs, files):
    """The rows of these files: features, labels."""
    table = pyarrow.concat_tables([pyarrow.parquet.read_table(file, filesystem=hdfs) for file in files])
    features = numpy.column_stack([table[name].to_numpy() for name in FEATURES])
    return features, table["failed"].to_numpy()
