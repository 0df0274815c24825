"""Sums up the readings of each machine, and writes a training and a test set of machines as Parquet."""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

MACHINES, READINGS = 2000, 100
FILES = 4


def readings(spark):
    """Stands for a log of sensors: machines that are hot and shake fail."""
    machine = (f.col("id") % MACHINES).alias("machine")

    def trait(seed):
        """The same number in [0, 1) for all readings of a machine."""
        return f.pmod(f.xxhash64(f.col("machine"), f.lit(seed)), f.lit(1000)) / 1000

    return (
        spark.range(MACHINES * READINGS)
        .select(machine)
        .withColumn("heat", 40 + 50 * trait(1) + 5 * f.randn(seed=1))
        .withColumn("shake", trait(2) * (1 + f.randn(seed=2)))
        .withColumn("failed", ((trait(1) > 0.5) & (trait(2) > 0.5)).cast("int"))
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True, help="folder on HDFS")
    arguments = parser.parse_args()

    spark = SparkSession.builder.config("spark.sql.shuffle.partitions", FILES).getOrCreate()
    path = f"{arguments.out}/machines"
    (
        readings(spark)
        .groupBy("machine")
        .agg(
            f.avg("heat").alias("heat_mean"),
            f.max("heat").alias("heat_max"),
            f.avg("shake").alias("shake_mean"),
            f.stddev("shake").alias("shake_spread"),
            f.max("failed").alias("failed"),
        )
        .withColumn("split", f.expr("if(machine % 5 = 0, 'test', 'train')"))
        # Spark would make a single file of so little: each worker shall have some.
        .repartition(FILES)
        .write.mode("overwrite")
        .partitionBy("split")
        .parquet(path)
    )
    print(f"wrote {path}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
