"""Counts to 40 in a gang of any size. Whatever its size will be, it goes on from its last checkpoint."""

import os
import time

STEPS, EVERY = 40, 10
ENV = os.environ
ASKED = ENV.get("TONY_CHECKPOINT_ASKED", "")

# 1. Go on from the checkpoint, where there is one; with as many tasks as there are now.
step = 0
if "TONY_CHECKPOINT_LATEST" in ENV:
    with open(ENV["TONY_CHECKPOINT_LATEST"], encoding="utf-8") as checkpoint:
        step = int(checkpoint.read())
tasks, index = int(ENV["TASK_NUM"]), int(ENV["TASK_INDEX"])
print(f"worker {index} of {tasks} begins behind step {step}")

while step < STEPS:
    step += 1
    time.sleep(0.05)  # A training takes longer.
    asked = os.path.exists(ASKED)
    if (asked or step % EVERY == 0) and "TONY_CHECKPOINT_FILE" in ENV:  # The chief has it.
        # 2. Write a checkpoint to a new file, now and then, and when one is asked for. 3. Name it when it is finished.
        path = os.path.join(ENV["TONY_CHECKPOINT_LOCAL"], f"step-{step}.txt")
        with open(path, "w", encoding="utf-8") as checkpoint:
            checkpoint.write(str(step))
        with open(ENV["TONY_CHECKPOINT_FILE"], "a", encoding="utf-8") as names:
            names.write(f"{path} step={step}\n")
    if asked:
        os.remove(ASKED)

if index == 0:
    with open(ENV["TONY_OUTPUT_FILE"], "a", encoding="utf-8") as outputs:
        outputs.write(f"tasks={tasks}\nstep={step}\n")
