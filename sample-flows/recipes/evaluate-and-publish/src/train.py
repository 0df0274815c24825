"""Trains a model, and hands it to TonY to keep."""

import os

import joblib
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

import tony

images, labels = load_digits(return_X_y=True)
model = RandomForestClassifier(n_estimators=50, random_state=0).fit(images[:1400], labels[:1400])
path = os.path.join(tony.checkpoint_folder(), "model.joblib")
joblib.dump(model, path)
tony.checkpoint(path)
print(f"{model.n_estimators} trees of {len(images[:1400])} images")
