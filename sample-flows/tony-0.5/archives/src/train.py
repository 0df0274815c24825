"""Checks that archives arrive unpacked, files under their names, and the shipped interpreter runs this."""

import os
import pathlib
import sys

FILES = {
    "data.zip/irises/train.csv": "1.4,0.2\n4.7,1.4\n",
    "data.zip/irises/test.csv": "6.0,2.5\n",
    "more/labels.txt": "setosa\nversicolor\nvirginica\n",
}
ENV = {
    "AZKABAN_INPUT_DATASET": "irises;labels",
    "AZKABAN_OUTPUT_DATASET": "model",
}


def problems():
    for name, wanted in FILES.items():
        path = pathlib.Path(name)
        if not path.is_file():
            yield f"{name} is missing; here is {sorted(os.listdir())}"
        elif path.read_text() != wanted:
            yield f"{name}: {path.read_text()!r} instead of {wanted!r}"
    if "Fisher" not in pathlib.Path("NOTES").read_text():
        yield "NOTES is not notes.txt"
    for name, wanted in ENV.items():
        if os.environ.get(name) != wanted:
            yield f"{name}: {os.environ.get(name)!r} instead of {wanted!r}"
    interpreter = os.environ.get("SAMPLE_VENV", "none of venv.zip")
    if not interpreter.endswith("venv/bin/python"):
        yield f"started by {interpreter} instead of venv/bin/python"


if __name__ == "__main__":
    found = list(problems())
    if found:
        sys.exit("\n".join(found))
    print(f"all archives are here; started by {os.environ['SAMPLE_VENV']}")
