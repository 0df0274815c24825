"""Holds the weights: adds up the gradients of all workers, takes one step, sends the weights back."""

import signal
import sys

import softmax
import wire

LEARNING_RATE = 0.5


def serve(endpoint, workers):
    """Never returns: YARN stops the parameter server when the workers are done."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with wire.listen(endpoint) as listener:
        print(f"parameter server listens on {endpoint} for {workers} workers", flush=True)
        channels = accept(listener, workers)
    steps = run(channels)
    print(f"a worker has left after {steps} steps; waiting to be stopped", flush=True)
    while True:
        signal.pause()


def accept(listener, workers):
    channels = {}
    while len(channels) < workers:
        channel = wire.Channel(listener.accept()[0])
        hello = channel.receive()
        if hello is not None:
            channels[hello["worker"]] = channel
    # In the workers' order, so that the floating-point sums are the same in every run.
    return [channels[worker] for worker in sorted(channels)]


def run(channels):
    """Synchronous steps until the first worker leaves; returns how many there were."""
    weights = softmax.zero_weights()
    steps, loss = 0, None
    while True:
        try:
            for channel in channels:
                channel.send({"weights": weights, "loss": loss})
            pushes = [channel.receive() for channel in channels]
        except OSError:
            return steps
        if None in pushes:
            return steps
        rows = sum(push["rows"] for push in pushes)
        loss = sum(push["loss"] for push in pushes) / rows
        for push in pushes:
            descend(weights, push["gradient"], LEARNING_RATE / rows)
        steps += 1


def descend(weights, gradient, rate):
    for row, slopes in zip(weights, gradient):
        for feature, slope in enumerate(slopes):
            row[feature] -= rate * slope
