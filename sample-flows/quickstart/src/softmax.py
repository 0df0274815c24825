"""Softmax regression on the iris data: one row of weights (four features and a bias) per species."""

import csv
import io
import math

FEATURES = ("sepal_length", "sepal_width", "petal_length", "petal_width")
SPECIES = ("setosa", "versicolor", "virginica")


def read_csv(text):
    """Pairs of features (in cm) and the index of the species."""
    return [
        ([float(row[name]) for name in FEATURES], SPECIES.index(row["species"]))
        for row in csv.DictReader(io.StringIO(text))
    ]


def scale_of(rows):
    """Mean and standard deviation of each feature."""
    columns = list(zip(*(features for features, _ in rows)))
    means = [sum(column) / len(column) for column in columns]
    deviations = [
        math.sqrt(sum((value - mean) ** 2 for value in column) / len(column))
        for column, mean in zip(columns, means)
    ]
    return {"mean": means, "deviation": deviations}


def scaled(features, scale):
    """The features in standard deviations from the mean, and a 1 for the bias."""
    return [
        (value - mean) / deviation
        for value, mean, deviation in zip(features, scale["mean"], scale["deviation"])
    ] + [1.0]


def zero_weights():
    return [[0.0] * (len(FEATURES) + 1) for _ in SPECIES]


def probabilities(weights, inputs):
    scores = [sum(w * x for w, x in zip(row, inputs)) for row in weights]
    highest = max(scores)  # keeps exp() from overflowing
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def loss_and_gradient(weights, examples):
    """Sums, not means, over (inputs, label) pairs: sums of shards add up to the sum of the whole."""
    loss = 0.0
    gradient = zero_weights()
    for inputs, label in examples:
        chances = probabilities(weights, inputs)
        loss -= math.log(max(chances[label], 1e-12))
        for species, row in enumerate(gradient):
            error = chances[species] - (species == label)
            for feature, value in enumerate(inputs):
                row[feature] += error * value
    return loss, gradient


def predict(weights, inputs):
    chances = probabilities(weights, inputs)
    return chances.index(max(chances))
