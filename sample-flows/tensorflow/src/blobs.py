"""Four clouds of points in eight dimensions: data that a small network can tell apart."""

import numpy as np

CLASSES, FEATURES = 4, 8


def blobs(count, seed):
    centers = np.random.default_rng(0).normal(size=(CLASSES, FEATURES)) * 2
    generator = np.random.default_rng(seed)
    labels = generator.integers(CLASSES, size=count)
    points = centers[labels] + generator.normal(size=(count, FEATURES))
    return points.astype(np.float32), labels.astype(np.int64)
