"""Checks that the board runs beside the training and that TensorFlow is told nothing of it."""

import json
import os
import sys
import time
import urllib.request

# Addresses of the job are never behind the proxy that the environment may name.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(url):
    """All tasks start together: the board may need a moment before it listens."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with DIRECT.open(url, timeout=10) as response:
                return json.load(response)
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"no board at {url}: {error}")
            time.sleep(0.1)


if __name__ == "__main__":
    tf_config = json.loads(os.environ["TF_CONFIG"])
    if "tensorboard" in tf_config["cluster"]:
        sys.exit(f"TF_CONFIG names the board as a part of the training cluster: {tf_config}")
    if os.environ.get("IS_CHIEF") != "true":
        sys.exit(f"IS_CHIEF is {os.environ.get('IS_CHIEF')!r} for the only worker")

    endpoint = json.loads(os.environ["CLUSTER_SPEC"])["tensorboard"][0]
    tb_port = get(f"http://{endpoint}/")["tb_port"]
    page = get(f"http://{endpoint.rpartition(':')[0]}:{tb_port}/")
    if page != {"role": "tensorboard", "tb_port": tb_port}:
        sys.exit(f"the board's page says {page}")
    print(f"the board answers on port {tb_port}")
