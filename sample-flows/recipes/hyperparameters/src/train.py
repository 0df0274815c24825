"""Learns to read handwritten digits, with the hyperparameters of its arguments."""

import argparse

from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import tony

parser = argparse.ArgumentParser()
parser.add_argument("--learning-rate", type=float, required=True)
parser.add_argument("--hidden", type=int, default=32)
parser.add_argument("--epochs", type=int, default=10)
arguments = parser.parse_args()

images, labels = load_digits(return_X_y=True)
images /= 16
model = MLPClassifier((arguments.hidden,), learning_rate_init=arguments.learning_rate, random_state=0)
for epoch in range(1, arguments.epochs + 1):
    model.partial_fit(images[:1500], labels[:1500], classes=range(10))
    tony.progress(epoch, arguments.epochs, loss=model.loss_)

accuracy = model.score(images[1500:], labels[1500:])
print(f"learning rate {arguments.learning_rate}: accuracy {accuracy:.3f} after {arguments.epochs} epochs")
tony.output(accuracy=round(accuracy, 3))
