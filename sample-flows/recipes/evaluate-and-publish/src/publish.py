"""Puts the model where its readers look for it: they find the old one or the new one, never half of one."""

import argparse

import fsspec

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--to", required=True, help="a folder, or a URL such as hdfs:///models")
arguments = parser.parse_args()

files, folder = fsspec.url_to_fs(arguments.to)
files.makedirs(folder, exist_ok=True)
files.put_file(arguments.model, f"{folder}/model.part")
files.mv(f"{folder}/model.part", f"{folder}/model.joblib")
print(f"published {folder}/model.joblib")
