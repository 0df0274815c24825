"""Splits the iris data into a training and a test set, and writes both to HDFS."""

import argparse
import sys

from webhdfs import WebHdfs, WebHdfsError


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, help="local CSV file with a header")
    parser.add_argument("--webhdfs", required=True, help="http address of the NameNode")
    parser.add_argument("--out", required=True, help="folder on HDFS")
    arguments = parser.parse_args()

    with open(arguments.source, encoding="utf-8") as file:
        header, *rows = file.read().splitlines()
    # The rows are ordered by species, 50 of each: every fifth gives a test set with 10 of each.
    test = rows[4::5]
    training = [row for number, row in enumerate(rows) if number % 5 != 4]

    hdfs = WebHdfs(arguments.webhdfs)
    for name, part in (("train.csv", training), ("test.csv", test)):
        path = f"{arguments.out}/{name}"
        hdfs.write(path, "\n".join([header, *part]) + "\n")
        print(f"wrote {len(part)} of {len(rows)} rows to {path}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except (OSError, WebHdfsError) as error:
        sys.exit(f"prepare: {error}")
