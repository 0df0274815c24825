"""HDFS over WebHDFS, for clusters with simple authentication."""

import getpass
import os
import urllib.parse

import fsspec


def connect(url):
    """The file system of the NameNode at this http address."""
    address = urllib.parse.urlsplit(url)
    user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
    hdfs = fsspec.filesystem("webhdfs", host=address.hostname, port=address.port, user=user)
    # Cluster addresses are never behind the proxy that the environment may name.
    hdfs.session.trust_env = False
    return hdfs


def parquet_files(hdfs, folder):
    return sorted(path for path in hdfs.ls(folder, detail=False) if path.endswith(".parquet"))
