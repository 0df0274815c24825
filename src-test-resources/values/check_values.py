"""Compares this program's environment and arguments with expected/; exits 1 and prints all differences if any.

expected/env/NAME is the value of the environment variable NAME, and expected/args/N is the N-th argument.
"""

import os
import pathlib
import sys


def differences(folder):
    for file in sorted((folder / "env").iterdir()):
        wanted, actual = file.read_bytes(), os.environb.get(os.fsencode(file.name))
        if actual != wanted:
            yield f"{file.name} is {actual!r} instead of {wanted!r}"
    wanted = [file.read_bytes() for file in sorted((folder / "args").iterdir())]
    actual = [os.fsencode(argument) for argument in sys.argv[1:]]
    if actual != wanted:
        yield f"the arguments are {actual!r} instead of {wanted!r}"


if __name__ == "__main__":
    found = list(differences(pathlib.Path("expected")))
    if found:
        sys.exit("\n".join(found))
