"""Writes data.zip, more.zip and venv.zip into the working directory, which the jobs of a flow share."""

import shlex
import sys
import zipfile

EXECUTABLE = 0o100755 << 16  # where a zip keeps a Unix file mode


def write(archive, files, mode=0o100644 << 16):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system = 3  # Unix: the mode counts
            entry.external_attr = mode
            target.writestr(entry, text)
    print(f"{archive}: {', '.join(files)}")


interpreter = shlex.quote(sys.executable)
write("data.zip", {"irises/train.csv": "1.4,0.2\n4.7,1.4\n", "irises/test.csv": "6.0,2.5\n"})
write("more.zip", {"labels.txt": "setosa\nversicolor\nvirginica\n"})
write("venv.zip", {"bin/python": f'#!/bin/sh\nSAMPLE_VENV="$0" exec {interpreter} "$@"\n'}, EXECUTABLE)
