"""One model from the rows of all machines; LightGBM connects them by its own sockets."""

import os
import socket

import lightgbm
from sklearn.datasets import load_digits

ENV = os.environ
RANK, WORLD = int(ENV["RANK"]), int(ENV["LIGHTGBM_NUM_MACHINES"])


def address(machine):
    """LightGBM wants addresses; it finds itself in the list by its own."""
    host, port = machine.rsplit(":", 1)
    return f"{socket.gethostbyname(host)}:{port}"


images, digits = load_digits(return_X_y=True)
mine = slice(360 + RANK, None, WORLD)
model = lightgbm.train(
    {
        "objective": "multiclass",
        "num_class": 10,
        "num_leaves": 8,
        "num_threads": 1,
        "verbose": -1,
        "tree_learner": "data",
        # Binning is agreed upon by all machines; without this each would look at its own rows only.
        "pre_partition": True,
        "num_machines": WORLD,
        "machines": ",".join(map(address, ENV["LIGHTGBM_MACHINES"].split(","))),
        "local_listen_port": int(ENV["LIGHTGBM_LOCAL_LISTEN_PORT"]),
        "time_out": 2,
    },
    lightgbm.Dataset(images[mine], digits[mine]),
    num_boost_round=20,
)
accuracy = float((model.predict(images[:360]).argmax(1) == digits[:360]).mean())
# More rows than one machine has: only the sum of both can have counted them.
counted = model.dump_model()["tree_info"][0]["tree_structure"]["internal_count"]
assert counted == len(digits) - 360, f"{counted} rows in the first tree"
assert accuracy > 0.9, f"accuracy {accuracy}"
if RANK == 0:
    with open(ENV["TONY_OUTPUT_FILE"], "w") as outputs:
        outputs.write(f"accuracy={accuracy:.3f}\nworld={WORLD}\nrows={counted}\n")
