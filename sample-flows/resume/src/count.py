"""Counts to 100 and adds up, with a checkpoint every 10 steps. Its first start dies on the way; the second goes on."""

import json
import os
import sys
import time

import tony  # comes with every task; on a laptop, put TonY's tony.py beside this program

STEPS, EVERY, DIES_AT = 100, 10, 47

# 1. Go on from the checkpoint, where there is one.
start = tony.resume()
state = {"step": 0, "sum": 0}
if start:
    with open(start.path, encoding="utf-8") as checkpoint:
        state = json.load(checkpoint)
first = state["step"]

for step in range(first + 1, STEPS + 1):
    state = {"step": step, "sum": state["sum"] + step}
    time.sleep(0.05)  # A training takes longer.
    tony.progress(step, STEPS)
    if step % EVERY == 0:
        # 2. Write a checkpoint to a new file. 3. Name it when it is finished.
        path = os.path.join(tony.checkpoint_folder(), f"step-{step}.json")
        with open(path, "w", encoding="utf-8") as checkpoint:
            json.dump(state, checkpoint)
        tony.checkpoint(path, step)
    if step == DIES_AT and first == 0 and tony.keeps_checkpoints():
        sys.exit(f"dies at step {step}, as a program does now and then")

print(f"{state['sum']} is the sum of {STEPS} steps, {STEPS - first} of them in this start")
tony.output(first_step=first, sum=state["sum"])
