"""Learns every row that came after the last checkpoint, in the order of nights: tonight's, and those of a night that failed."""

import argparse
import json
import os

import files
import model
import table

CHECKPOINT_EVERY_STEPS = 1000
ENV = os.environ


class Checkpoint:
    """The model, how many steps it has learned, and which row comes next."""

    def __init__(self, folder):
        self.path = f"{folder}/checkpoint.json"
        self.step, self.night, self.row, self.weights = 0, "", 0, [0.0] * (table.FEATURES + 1)
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                vars(self).update(json.load(file))

    def save(self):
        state = {"step": self.step, "night": self.night, "row": self.row, "weights": self.weights}
        files.replace(self.path, json.dumps(state))
        print(f"checkpoint at step {self.step}", flush=True)


def new_rows(folder, state):
    """Yields (night, number, features, label) from the checkpoint's row on."""
    after, first_row = state.night, state.row
    for name in sorted(os.listdir(folder)):
        night, suffix = os.path.splitext(name)
        if suffix == ".csv" and night >= after:
            first = first_row if night == after else 0
            for number, features, label in table.read(folder, night):
                if number >= first:
                    yield night, number, features, label


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True, help="folder with a file for each night")
    arguments = parser.parse_args()

    state = Checkpoint(ENV["TONY_CHECKPOINT_DIR"])
    first = state.step
    last = first + sum(not table.is_kept(number) for _, number, _, _ in new_rows(arguments.data, state))
    print(f"from step {first} to {last}, attempt {ENV['TONY_ATTEMPT']}", flush=True)
    with open(ENV["TONY_PROGRESS_FILE"], "a", encoding="utf-8") as progress:
        for night, number, features, label in new_rows(arguments.data, state):
            state.night, state.row = night, number + 1
            if table.is_kept(number):
                continue
            loss = model.learn(state.weights, features, label)
            state.step += 1
            if state.step % CHECKPOINT_EVERY_STEPS == 0:
                state.save()
                print(f"step {state.step}/{last} loss {loss:.3f}", file=progress, flush=True)
    state.save()
    with open(ENV["TONY_OUTPUT_FILE"], "w", encoding="utf-8") as outputs:
        outputs.write(f"model={state.path}\nfirst_step={first}\nlast_step={state.step}\n")


if __name__ == "__main__":
    main()
