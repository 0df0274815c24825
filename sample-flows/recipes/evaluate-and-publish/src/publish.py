"""Puts the model where its readers look for it, under a new name: no reader finds half of one."""

import argparse

import fsspec

import tony

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--to", required=True, help="a folder, or a URL such as hdfs:///models")
parser.add_argument("--version", required=True, help="what the model's name has that no other model's has")
arguments = parser.parse_args()

files, folder = fsspec.url_to_fs(arguments.to)
files.makedirs(folder, exist_ok=True)
path = f"{folder}/model-{arguments.version}.joblib"
files.put_file(arguments.model, f"{path}.part")
files.mv(f"{path}.part", path)
print(f"published {path}")
tony.output(model=path)
