"""Spreads a grid search of scikit-learn over the containers of this job, by joblib's backend of Ray."""

import os
import time

import joblib
import ray
from ray.util.joblib import register_ray
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tony

ray.init(address=os.environ["RAY_ADDRESS"])
nodes = int(os.environ["RAY_NODES"])
while len([node for node in ray.nodes() if node["Alive"]]) < nodes:
    time.sleep(0.5)  # The other containers may join later than the chief.
register_ray()

images, digits = load_digits(return_X_y=True)
train_images, test_images, train_digits, test_digits = train_test_split(images, digits, random_state=0)
search = GridSearchCV(
    make_pipeline(StandardScaler(), SVC()),
    {"svc__C": [0.1, 1, 10], "svc__gamma": [0.001, 0.01, 0.1]},
    cv=4,
    n_jobs=-1,
    verbose=1,
)
with joblib.parallel_backend("ray"):
    search.fit(train_images, train_digits)
accuracy = search.score(test_images, test_digits)
print(f"accuracy {accuracy:.3f} with {search.best_params_}")
assert accuracy > 0.95

# TonY copies the model to the cluster's file system: later steps find it as ${tony.checkpoint.latest}.
path = os.path.join(tony.checkpoint_folder(), "model.joblib")
joblib.dump(search.best_estimator_, path)
tony.checkpoint(path)
tony.output(accuracy=f"{accuracy:.3f}", **search.best_params_)
