"""Counts to 100 and adds up, with a checkpoint every 10 steps. Its first start dies on the way; the second goes on."""

import json
import os
import sys
import time

STEPS, EVERY, DIES_AT = 100, 10, 47
ENV = os.environ


def append(variable, line):
    """To a file of TonY's; without TonY, as on a laptop, there is none."""
    with open(ENV.get(variable, os.devnull), "a", encoding="utf-8") as file:
        file.write(line + "\n")


# 1. Go on from the checkpoint, where there is one.
state = {"step": 0, "sum": 0}
if "TONY_CHECKPOINT_LATEST" in ENV:
    with open(ENV["TONY_CHECKPOINT_LATEST"], encoding="utf-8") as checkpoint:
        state = json.load(checkpoint)
first = state["step"]

for step in range(first + 1, STEPS + 1):
    state = {"step": step, "sum": state["sum"] + step}
    time.sleep(0.05)  # A training takes longer.
    if step % EVERY == 0:
        append("TONY_PROGRESS_FILE", f"step {step}/{STEPS}")
        if "TONY_CHECKPOINT_FILE" in ENV:
            # 2. Write a checkpoint to a new file. 3. Name it when it is finished.
            path = os.path.join(ENV["TONY_CHECKPOINT_LOCAL"], f"step-{step}.json")
            with open(path, "w", encoding="utf-8") as checkpoint:
                json.dump(state, checkpoint)
            append("TONY_CHECKPOINT_FILE", f"{path} step={step}")
    if step == DIES_AT and first == 0 and "TONY_CHECKPOINT_FILE" in ENV:
        sys.exit(f"dies at step {step}, as a program does now and then")

print(f"{state['sum']} is the sum of {STEPS} steps, {STEPS - first} of them in this start")
append("TONY_OUTPUT_FILE", f"first_step={first}\nsum={state['sum']}")
