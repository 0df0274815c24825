"""Runs Jupyter as the program of a task: `tony notebook` starts this file in the container (docs/notebook.md).

    python3 tony_notebook.py [--idle SECONDS]

Jupyter listens on the task's port at the loopback address, where TonY's tunnels connect, and serves the folder
`notebooks`. When a file in it changes, the folder is packed into an archive and named as a checkpoint; the next
notebook of the same name begins with these files. The program ends after SECONDS without use. Environment variables:

    JUPYTER_TOKEN           token that Jupyter requires from a browser
    TONY_NOTEBOOK_COMMAND   command that bash runs instead of Jupyter, with the port in TB_PORT; it never counts as idle
"""

import argparse
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
import tempfile
import time
import urllib.error
import urllib.request

import tony

FOLDER = "notebooks"
BEGUN = os.path.join(".tony", "notebook-begun")
OWN_COMMAND = os.environ.get("TONY_NOTEBOOK_COMMAND")
LOOK_EVERY_S = 20
END_WITHIN_S = 8
MAX_BYTES = 256 << 20
NOT_KEPT = {".ipynb_checkpoints", "__pycache__"}


def log(text):
    print("tony notebook: " + text, file=sys.stderr, flush=True)


def task_port():
    cluster = json.loads(os.environ["CLUSTER_SPEC"])
    address = cluster[os.environ["JOB_NAME"]][int(os.environ["TASK_INDEX"])]
    return int(address.rsplit(":", 1)[1])


# ---- Files ----


def bring_back():
    """Restores the files of the notebook's last start, and copies the notebooks shipped with this one. Does so only
    once per container.
    """
    os.makedirs(FOLDER, exist_ok=True)
    last = tony.resume()
    if os.path.exists(BEGUN):
        return
    if last:
        with tarfile.open(last.path) as archive:
            regular = [member for member in archive if member.isreg()]
            archive.extractall(FOLDER, regular, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        log("the files are those of " + time.strftime("%Y-%m-%d %H:%M:%S %Z", time.localtime(last.step)))
    for path in glob.glob("*.ipynb"):
        if os.path.isfile(path) and not os.path.exists(os.path.join(FOLDER, path)):
            shutil.copy(path, FOLDER)
    os.makedirs(os.path.dirname(BEGUN), exist_ok=True)
    open(BEGUN, "w").close()


def files():
    """Returns size and modification time of each file that may be kept, by path."""
    found = {}
    for folder, folders, names in os.walk(FOLDER):
        folders[:] = [name for name in folders if name not in NOT_KEPT]
        for name in names:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):  # The file is being replaced.
                state = os.lstat(path)
                if stat.S_ISREG(state.st_mode):
                    found[path] = (state.st_size, state.st_mtime_ns)
    return found


class NotebookSaver:
    """Packs the folder into an archive and names it as a checkpoint when a file has changed."""

    def __init__(self):
        last = tony.resume()
        self.seen = files()
        self.kept = None if last else {}  # None: unknown, may be newer than the last archive.
        self.step = last.step if last else 0
        self.left_out = set()
        self.archives = []
        self.next = 0

    def save_if_changed(self):
        """Keeps the files if they have changed. Returns whether a file has changed since the last call."""
        now = files()
        changed, self.seen = now != self.seen, now
        if now != self.kept and time.monotonic() >= self.next:
            begin = time.monotonic()
            self.keep(now)
            # Packing must take at most a tenth of the time.
            self.next = time.monotonic() + 10 * (time.monotonic() - begin)
        return changed

    def keep_last(self):
        """Keeps the files at the end, even if they are unchanged: an earlier copy to HDFS may have failed."""
        now = files()
        if now or self.kept != {}:
            self.keep(now)

    def keep(self, now):
        if tony.keeps_checkpoints():
            try:
                self._save(now)
            except Exception as e:  # For example a full disk. The notebook goes on.
                log("the files are not kept for now: {}".format(e))

    def _save(self, now):
        self.step = max(int(time.time()), self.step + 1)
        path = os.path.join(tony.checkpoint_folder(), "notebooks-{}.tar.gz".format(self.step))
        self.archives.append(path)
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            for name in self._fitting(now):
                self._add(archive, name)
        tony.checkpoint(path, self.step)
        self.kept = now
        while len(self.archives) > 3:  # TonY has taken the oldest by now.
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.archives.pop(0))

    def _fitting(self, now):
        """Returns the smallest files, as many as fit into MAX_BYTES together."""
        fitting, total = [], 0
        for path in sorted(now, key=lambda path: now[path][0]):
            total += now[path][0]
            if total <= MAX_BYTES:
                fitting.append(path)
            else:
                why = "it has {} MiB, and {} MiB are kept in all. Write large files to HDFS"
                self._leave_out(path, why.format(now[path][0] >> 20, MAX_BYTES >> 20))
        return fitting

    def _add(self, archive, path):
        """Adds a copy of the file: the file itself may grow while it is packed, but its size must be known first."""
        with tempfile.TemporaryFile() as copy:
            try:
                with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                    member = archive.gettarinfo(arcname=os.path.relpath(path, FOLDER), fileobj=file)
                    if not member.isreg():
                        return
                    shutil.copyfileobj(file, copy)
            except FileNotFoundError:
                return
            except OSError as e:
                self._leave_out(path, e)
                return
            member.size = copy.tell()
            copy.seek(0)
            archive.addfile(member, copy)

    def _leave_out(self, path, why):
        if path not in self.left_out:
            self.left_out.add(path)
            log("{} is not kept: {}".format(path, why))


# ---- The server ----


def jupyter_module():
    """Returns the module of the first Jupyter server that this Python has. Exits if there is none."""
    for needed, module in [("jupyterlab", "jupyterlab"), ("notebook.app", "notebook"), ("jupyter_server", "jupyter_server")]:
        with contextlib.suppress(ModuleNotFoundError):  # raised for notebook.app if notebook is missing
            if importlib.util.find_spec("jupyter_server") and importlib.util.find_spec(needed):
                return module
    sys.exit(
        "tony notebook: there is no Jupyter in {}: give a Python environment that has jupyterlab, with -python_venv or"
        " -python_binary_path".format(sys.executable)
    )


# Runs a module like python -m, but without the user's folder on the path: a user's file with the name of a standard
# module, such as email.py, must not prevent Jupyter from starting. Kernels still see it.
WITHOUT_OWN_FILES = """
import sys
folder, module = sys.argv[1:3]
sys.path = [path for path in sys.path if path not in ("", folder)]
del sys.argv[1:3]
import runpy
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def has_curve():
    import zmq

    return zmq.has("curve")


def jupyter(port):
    if not os.environ.get("JUPYTER_TOKEN"):
        sys.exit("tony notebook: JUPYTER_TOKEN is not set: Jupyter would write a token of its own into the task's log")
    command = [sys.executable, "-c", WITHOUT_OWN_FILES, os.getcwd(), jupyter_module()]
    command += ["--no-browser", "--ip=127.0.0.1", "--port={}".format(port)]
    # Never listen on another port: the tunnels connect only to this one.
    command += ["--ServerApp.port_retries=0", "--ServerApp.root_dir=" + os.path.abspath(FOLDER)]
    if has_curve():  # Kernels listen on ports that every user of the node can reach.
        command.append("--KernelManager.transport_encryption=auto")
    return command + (["--allow-root"] if os.geteuid() == 0 else [])


def environment(port):
    # The task's checkpoints hold the notebook's files, so a program in the notebook must not use these variables.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TONY_CHECKPOINT_")}
    here = os.getcwd()
    inherited["PYTHONPATH"] = os.pathsep.join([here] + [path for path in [os.environ.get("PYTHONPATH")] if path])
    inherited["TB_PORT"] = str(port)
    # Settings are kept with the notebooks. Settings in the user's home might disable the token.
    inherited["JUPYTER_CONFIG_DIR"] = os.path.join(here, FOLDER, ".jupyter")
    # Jupyter writes its token into this folder, so it must not be kept with the notebooks.
    inherited["JUPYTER_RUNTIME_DIR"] = os.path.join(here, ".tony", "jupyter")
    if not os.access(os.environ.get("HOME", ""), os.W_OK):
        inherited["HOME"] = here
    return inherited


def start(port):
    # In its own session: otherwise TonY's signal would reach Jupyter in addition to end()'s, and two signals at a
    # time may hang Jupyter.
    options = {"env": environment(port), "start_new_session": True}
    if OWN_COMMAND:
        return subprocess.Popen(["bash", "-c", OWN_COMMAND], **options)
    return subprocess.Popen(jupyter(port), cwd=FOLDER, **options)


def end(server):
    """Ends the server: SIGTERM, then SIGKILL after END_WITHIN_S seconds. Returns its exit code.
    """
    for number in [signal.SIGTERM, signal.SIGKILL]:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return server.wait(END_WITHIN_S)
    return server.wait()


# ---- Whether it is used ----


class Use:
    """Time of the last use: a changed file, a running kernel or output of a terminal."""

    def __init__(self, port):
        self.port = port
        self.last = time.monotonic()
        self.activity = []
        self.logged = False

    def seen(self):
        self.last = time.monotonic()

    def idle_s(self):
        """Asks Jupyter for its activity and returns the number of seconds since the last use."""
        try:
            kernels = self._ask("kernels")
            activity = sorted(used["last_activity"] for used in kernels + self._ask("terminals"))
            if activity != self.activity or any(kernel["execution_state"] == "busy" for kernel in kernels):
                self.seen()
            self.activity = activity
        except Exception as e:  # No answer, or an unexpected one.
            self._report_failure(e)
        return time.monotonic() - self.last

    def _ask(self, what):
        request = urllib.request.Request("http://127.0.0.1:{}/api/{}".format(self.port, what))
        request.add_header("Authorization", "token " + os.environ.get("JUPYTER_TOKEN", ""))
        # Without the site's proxy.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=10) as answer:
                return json.loads(answer.read().decode())
        except urllib.error.HTTPError as e:
            if e.code == 404 and what == "terminals":
                return []  # Terminals are disabled.
            raise

    def _report_failure(self, why):
        """Counts a refused request as use, so that no work is lost. Any other failure counts as idle time, because a
        server that hangs is not used.
        """
        if isinstance(why, urllib.error.HTTPError):
            self.seen()
            if not self.logged:
                self.logged = True
                log("it does not end when it is unused, because Jupyter does not tell: {}".format(why))


# ---- Main ----


class Stopped(BaseException):
    """Raised when TonY ends the task. A BaseException, so that `except Exception` does not catch it."""


class Stopping:
    """Handles the SIGTERM with which TonY ends the task."""

    def __init__(self):
        self.asked = False
        self.interrupts = False
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, number, frame):
        again, self.asked = self.asked, True
        if self.interrupts and not again:
            raise Stopped

    def interrupt(self):
        """Makes SIGTERM raise Stopped from now on. Raises it at once if SIGTERM was received before."""
        self.interrupts = True
        if self.asked:
            raise Stopped


def serve(server, saver, use, max_idle_s):
    """Waits for the server's end and returns its exit code. Ends it and returns 0 after max_idle_s seconds without
    use; 0 means no limit.
    """
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return server.wait(LOOK_EVERY_S)
        if saver.save_if_changed():
            use.seen()
        if max_idle_s and use.idle_s() > max_idle_s:
            log("it was unused for {} s, and ends".format(max_idle_s))
            end(server)
            return 0


def main():
    parser = argparse.ArgumentParser(prog="tony_notebook")
    parser.add_argument("--idle", type=int, default=0, help="after so many seconds without use it ends; 0 for never")
    arguments = parser.parse_args()
    port = task_port()
    bring_back()
    saver = NotebookSaver()
    stopping = Stopping()
    server = start(port)
    try:
        stopping.interrupt()
        code = serve(server, saver, Use(port), 0 if OWN_COMMAND else arguments.idle)
        stopping.interrupts = False
    except Stopped:
        saver.keep_last()  # First, because ending Jupyter may take all the time that is left.
        code = end(server)
    saver.keep_last()
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
