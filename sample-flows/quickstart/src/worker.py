"""Computes gradients on its share of the training set; worker 0 also reports and saves the model."""

import json
import os

import softmax
import wire
from webhdfs import WebHdfs

REPORTS = 20


def train(cluster, index, arguments):
    with open(arguments.data, encoding="utf-8") as file:
        rows = softmax.read_csv(file.read())
    scale = softmax.scale_of(rows)
    share = [(softmax.scaled(features, scale), label) for features, label in rows[index :: len(cluster["worker"])]]
    print(f"worker {index} trains on {len(share)} of {len(rows)} rows", flush=True)

    server = wire.connect(cluster["ps"][0])
    server.send({"worker": index})
    weights = pull(server)["weights"]
    loss = None
    for step in range(1, arguments.steps + 1):
        shard_loss, gradient = softmax.loss_and_gradient(weights, share)
        server.send({"rows": len(share), "loss": shard_loss, "gradient": gradient})
        answer = pull(server)
        weights, loss = answer["weights"], answer["loss"]
        if index == 0 and (step == 1 or step % max(1, arguments.steps // REPORTS) == 0):
            report(f"step {step}/{arguments.steps} loss {loss:.4f}")

    if index == 0:
        model = {"species": softmax.SPECIES, "features": softmax.FEATURES, "scale": scale, "weights": weights}
        WebHdfs(arguments.webhdfs).write(arguments.model, json.dumps(model, indent=2) + "\n")
        print(f"model written to {arguments.model}", flush=True)
        publish(model=arguments.model, train_loss=f"{loss:.4f}", steps=arguments.steps)


def pull(server):
    answer = server.receive()
    if answer is None:
        raise ConnectionError("the parameter server has gone")
    return answer


def report(line):
    """To the task's own log, and to the job's log through the progress file."""
    print(line, flush=True)
    append("TONY_PROGRESS_FILE", line)


def publish(**outputs):
    """Output properties of the step: key becomes ${tony.output.key} in the jobs that depend on it."""
    for key, value in outputs.items():
        append("TONY_OUTPUT_FILE", f"{key}={value}")


def append(variable, line):
    """Without the variable (a run by hand) there is nobody to tell."""
    if variable in os.environ:
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(line + "\n")
