"""A Keras model, trained by all processes together: each feeds its share of every batch."""

import os

import keras
import numpy as np

import tony

EPOCHS, ROWS, BATCH = 5, 3200, 64

rank, world = int(os.environ["JAX_PROCESS_ID"]), int(os.environ["JAX_NUM_PROCESSES"])
keras.distribution.initialize(os.environ["JAX_COORDINATOR_ADDRESS"], world, rank)
keras.distribution.set_distribution(keras.distribution.DataParallel(auto_shard_dataset=False))


def pictures(count, seed):
    """Noise with a bright square; the label is the quarter of the picture in which it is."""
    random = np.random.default_rng(seed)
    images, quarters = random.random((count, 16, 16, 1), dtype=np.float32), random.integers(4, size=count)
    for image, row, column in zip(images, quarters // 2 * 8, quarters % 2 * 8):
        image[row + 2 : row + 6, column + 2 : column + 6] += 0.5
    return images, quarters


start = tony.resume()
if start:
    model = keras.models.load_model(start.path)
else:
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((16, 16, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(4, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")

images, quarters = pictures(ROWS, seed=1)
model.fit(
    images[rank::world],
    quarters[rank::world],
    batch_size=BATCH // world,
    epochs=EPOCHS,
    initial_epoch=start.step // (ROWS // BATCH) if start else 0,
    callbacks=[tony.keras_callback()],
    verbose=2,
)
loss = model.evaluate(*pictures(1000, seed=2), batch_size=100, verbose=0)
print(f"process {rank} of {world}: test loss {loss:.3f}")
assert loss < 0.2
if rank == 0:
    tony.output(loss=f"{loss:.3f}")
