"""Puts the model where its readers look for it."""

import argparse

import files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--to", required=True, help="folder")
    arguments = parser.parse_args()

    with open(arguments.model, encoding="utf-8") as file:
        model = file.read()
    path = f"{arguments.to}/model.json"
    files.replace(path, model)
    print(f"published {path}", flush=True)


if __name__ == "__main__":
    main()
