"""A logistic regression that learns row by row."""

import math

RATE = 0.05


def predict(weights, features):
    """The probability of the event; the last weight is the bias."""
    score = weights[-1] + sum(weight * feature for weight, feature in zip(weights, features))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


def learn(weights, features, label):
    """One step, in place; returns the loss before it."""
    probability = predict(weights, features)
    error = probability - label
    for index, feature in enumerate(features):
        weights[index] -= RATE * error * feature
    weights[-1] -= RATE * error
    return -math.log(max(1e-12, probability if label else 1 - probability))
