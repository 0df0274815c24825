"""Searches hyperparameters with Ray Tune: each trial trains on one CPU of this job's Ray cluster."""

import os

import ray
from ray import tune
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

import tony

EPOCHS = 10
SPACE = {"hidden": tune.grid_search([8, 64]), "learning_rate": tune.grid_search([0.0001, 0.003])}


def train(config):
    digits = train_test_split(*load_digits(return_X_y=True), random_state=0)
    train_images, test_images, train_digits, test_digits = digits
    network = MLPClassifier(config["hidden"], learning_rate_init=config["learning_rate"], random_state=0)
    for _ in range(EPOCHS):
        network.partial_fit(train_images, train_digits, classes=range(10))
        tune.report({"accuracy": network.score(test_images, test_digits)})


class Progress(tune.Callback):
    ended = 0

    def on_trial_complete(self, iteration, trials, trial, **info):
        self.ended += 1
        tony.progress(self.ended, accuracy=trial.last_result["accuracy"])


ray.init(address=os.environ["RAY_ADDRESS"])
run = tune.RunConfig(name="digits", storage_path=os.environ["TONY_CHECKPOINT_DIR"], callbacks=[Progress()], verbose=1)
folder = os.path.join(run.storage_path, run.name)
trainable = tune.with_resources(train, {"cpu": 1})
if tune.Tuner.can_restore(folder):
    # An earlier start of this job failed: go on from the state that it wrote last.
    tuner = tune.Tuner.restore(folder, trainable, restart_errored=True)
else:
    tuner = tune.Tuner(trainable, param_space=SPACE, run_config=run)
results = tuner.fit()
best = results.get_best_result("accuracy", "max")
print(f"best of {len(results)}: accuracy {best.metrics['accuracy']:.3f} with {best.config}")
assert not results.errors and best.metrics["accuracy"] > 0.9
tony.output(accuracy=best.metrics["accuracy"], **best.config)
