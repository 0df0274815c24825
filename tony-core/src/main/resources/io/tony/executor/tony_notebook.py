"""Jupyter as the program of a task: what `tony notebook` runs in the container (docs/notebook.md).

    python3 -m tony_notebook [--idle SECONDS]

Jupyter listens at the task's port on the loopback address, for whoever comes through TonY, and shows the folder
`notebooks`. Its files are kept: what changes is packed into an archive and named as a checkpoint, and the next notebook
of the same name begins with it. It ends when it has been idle for so long. The environment may have

    JUPYTER_TOKEN           what Jupyter wants from a browser
    TONY_NOTEBOOK_COMMAND   what bash runs in the place of Jupyter, with the port in TB_PORT; it is never idle
"""

import argparse
import calendar
import contextlib
import glob
import importlib.util
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
import urllib.request

import tony

FOLDER = "notebooks"
LOOK_EVERY_S = 20
MOST_BYTES = 256 << 20
NOT_KEPT = {".ipynb_checkpoints", "__pycache__"}


def say(text):
    print("tony notebook: " + text, file=sys.stderr, flush=True)


def task_port():
    cluster = json.loads(os.environ["CLUSTER_SPEC"])
    address = cluster[os.environ["JOB_NAME"]][int(os.environ["TASK_INDEX"])]
    return int(address.rsplit(":", 1)[1])


# ---- Files ----


def bring_back():
    """The files of the notebook's last start, and the notebooks that came with this one."""
    os.makedirs(FOLDER, exist_ok=True)
    last = tony.resume()
    if last:
        with tarfile.open(last.path) as archive:
            archive.extractall(FOLDER, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        say("the files are those of " + time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(last.step)))
    for path in glob.glob("*.ipynb"):
        if not os.path.exists(os.path.join(FOLDER, path)):
            shutil.copy(path, FOLDER)


def files():
    """The size and the time of each file that may be kept."""
    found = {}
    for folder, folders, names in os.walk(FOLDER):
        folders[:] = [name for name in folders if name not in NOT_KEPT]
        for name in names:
            path = os.path.join(folder, name)
            with contextlib.suppress(FileNotFoundError):  # It is written anew just now.
                state = os.lstat(path)
                if stat.S_ISREG(state.st_mode):
                    found[path] = (state.st_size, state.st_mtime_ns)
    return found


class Keeper:
    """Packs the folder and names the archive as a checkpoint, whenever a file has changed."""

    def __init__(self):
        self.kept = {}
        self.left_out = set()
        self.step = tony.resume().step if tony.resume() else 0
        self.archives = tony._OwnFiles()

    def keep(self):
        """Returns whether anything has changed; raises OSError where it cannot be packed, as while it is written."""
        now = files()
        if now == self.kept:
            return False
        if tony.keeps_checkpoints():
            self.step = max(int(time.time()), self.step + 1)
            path = os.path.join(tony.checkpoint_folder(), "notebooks-{}.tar.gz".format(self.step))
            self.archives.add(path)
            self._pack(path, self._fitting(now))
            tony.checkpoint(path, self.step)
        self.kept = now
        return True

    def _fitting(self, now):
        """The smallest files, as many as fit."""
        fitting, total = [], 0
        for path in sorted(now, key=lambda path: now[path][0]):
            total += now[path][0]
            if total <= MOST_BYTES:
                fitting.append(path)
            elif path not in self.left_out:
                self.left_out.add(path)
                say(
                    "{} is not kept: it has {} MiB, and {} MiB are kept in all. Write large files to HDFS, or to"
                    " TONY_CHECKPOINT_DIR".format(path, now[path][0] >> 20, MOST_BYTES >> 20)
                )
        return fitting

    @staticmethod
    def _pack(path, names):
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    archive.add(name, os.path.relpath(name, FOLDER))


# ---- The server ----


def jupyter_module():
    """The newest of Jupyter's servers that this Python has; they are all started alike."""
    for needed, module in [("jupyterlab", "jupyterlab"), ("notebook.app", "notebook"), ("jupyter_server", "jupyter_server")]:
        with contextlib.suppress(ModuleNotFoundError):  # notebook, of notebook.app
            if importlib.util.find_spec("jupyter_server") and importlib.util.find_spec(needed):
                return module
    sys.exit(
        "tony notebook: there is no Jupyter in {}: give a Python environment that has jupyterlab, with -python_venv or"
        " -python_binary_path".format(sys.executable)
    )


def has_curve():
    import zmq

    return zmq.has("curve")


def jupyter(port):
    if not os.environ.get("JUPYTER_TOKEN"):
        sys.exit("tony notebook: JUPYTER_TOKEN is not set: Jupyter would write a token of its own into the task's log")
    command = [sys.executable, "-m", jupyter_module(), "--no-browser", "--ip=127.0.0.1", "--port={}".format(port)]
    # Whoever asks for the port finds nothing at another one.
    command += ["--ServerApp.port_retries=0", "--ServerApp.root_dir=" + os.path.abspath(FOLDER)]
    if has_curve():  # Kernels talk over ports of the node's.
        command.append("--KernelManager.transport_encryption=auto")
    return command + (["--allow-root"] if os.geteuid() == 0 else [])


def environment(port):
    # The checkpoints of this task are the notebook's files.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TONY_CHECKPOINT_")}
    here = os.getcwd()
    inherited["PYTHONPATH"] = os.pathsep.join([here] + [path for path in [os.environ.get("PYTHONPATH")] if path])
    inherited["TB_PORT"] = str(port)
    # There Jupyter writes its token down.
    inherited["JUPYTER_RUNTIME_DIR"] = os.path.join(here, ".tony", "jupyter")
    if not os.access(os.environ.get("HOME", ""), os.W_OK):
        inherited["HOME"] = here
    return inherited


def when(text):
    """Of Jupyter's times, in seconds since 1970."""
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


class Use:
    """When the notebook was last used: a file was changed, a kernel ran something, a terminal said something."""

    def __init__(self, port):
        self.port = port
        self.last = time.time()

    def seen(self):
        self.last = max(self.last, time.time())

    def idle_s(self):
        kernels = self._ask("kernels")
        if any(kernel["execution_state"] == "busy" for kernel in kernels):
            self.seen()
        for used in kernels + self._ask("terminals"):
            self.last = max(self.last, when(used["last_activity"]))
        return time.time() - self.last

    def _ask(self, what):
        """Nothing where it does not answer, as when there are no terminals."""
        request = urllib.request.Request("http://127.0.0.1:{}/api/{}".format(self.port, what))
        request.add_header("Authorization", "token " + os.environ.get("JUPYTER_TOKEN", ""))
        # Not through a proxy of the site's.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=10) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return []


def start(port):
    # In a group of its own: TonY's signal would reach it beside ours, and of two at a time Jupyter may hang.
    options = {"env": environment(port), "start_new_session": True}
    own = os.environ.get("TONY_NOTEBOOK_COMMAND")
    if own:
        return subprocess.Popen(["bash", "-c", own], **options)
    return subprocess.Popen(jupyter(port), cwd=FOLDER, **options)


# ---- Main ----


class Stopped(Exception):
    """TonY ends the task."""


def stop(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


def keep(keeper):
    try:
        return keeper.keep()
    except OSError as e:
        say("the files are not kept for now: {}".format(e))
        return True


def serve(server, keeper, use, most_idle_s):
    """Returns its exit code once it has ended."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return server.wait(LOOK_EVERY_S)
        if keep(keeper):
            use.seen()
        if most_idle_s and use.idle_s() > most_idle_s:
            say("it was idle for {} s, and ends".format(most_idle_s))
            end(server)
            return 0


def end(server):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    return server.wait()


def main():
    parser = argparse.ArgumentParser(prog="tony_notebook")
    parser.add_argument("--idle", type=int, default=0, help="after so many seconds it ends; 0 for never")
    arguments = parser.parse_args()
    port = task_port()
    bring_back()
    keeper = Keeper()
    most_idle_s = 0 if "TONY_NOTEBOOK_COMMAND" in os.environ else arguments.idle
    server = None
    signal.signal(signal.SIGTERM, stop)
    try:
        server = start(port)
        code = serve(server, keeper, Use(port), most_idle_s)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except Stopped:
        keep(keeper)  # Jupyter may need all the time that is left.
        code = end(server) if server else 0
    keep(keeper)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
