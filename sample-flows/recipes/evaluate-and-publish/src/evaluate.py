"""Judges a model by images that it has not seen; fails below a minimum."""

import argparse
import sys

import joblib
from sklearn.datasets import load_digits

import tony

parser = argparse.ArgumentParser()
parser.add_argument("--model", required=True)
parser.add_argument("--minimum", type=float, required=True)
arguments = parser.parse_args()

images, labels = load_digits(return_X_y=True)
accuracy = joblib.load(arguments.model).score(images[1400:], labels[1400:])
print(f"accuracy {accuracy:.3f} on {len(images[1400:])} images")
if accuracy < arguments.minimum:
    sys.exit(f"accuracy {accuracy:.3f} is below the minimum of {arguments.minimum}")
tony.output(accuracy=round(accuracy, 3))
