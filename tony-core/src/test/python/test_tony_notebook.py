"""Of the program of `tony notebook`. Each runs as in a container, with a command in the place of Jupyter."""

import http.server
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest

MODULE = os.path.abspath(os.environ["TONY_MODULE"])
FAST = "import tony_notebook as notebook\nnotebook.LOOK_EVERY_S = 0.1\n"


class Activity(http.server.BaseHTTPRequestHandler):
    """What Jupyter says of its kernels and terminals."""

    def do_GET(self):
        allowed = self.headers.get("Authorization") == "token secret"
        self.send_response(200 if allowed and self.path in self.server.activity else 404)
        self.end_headers()
        self.wfile.write(json.dumps(self.server.activity.get(self.path, [])).encode())

    def log_message(self, *arguments):
        pass


class NotebookTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.task = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": MODULE,
            "HOME": "/nowhere",
            "CLUSTER_SPEC": '{"notebook": ["node:2345"]}',
            "JOB_NAME": "notebook",
            "TASK_INDEX": "0",
            "JUPYTER_TOKEN": "secret",
            "TONY_CHECKPOINT_LOCAL": self.path("local"),
            "TONY_CHECKPOINT_FILE": self.path("named"),
        }

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def start(self, command, before="", **environment):
        return subprocess.Popen(
            [sys.executable, "-c", FAST + before + "\nnotebook.main()"],
            cwd=self.folder,
            env={**self.task, "TONY_NOTEBOOK_COMMAND": command, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )

    def run_notebook(self, command, before="", **environment):
        """Returns its exit code, and what it said on stdout and stderr."""
        started = self.start(command, before, **environment)
        out, err = started.communicate()
        return started.returncode, out, err

    def kept(self):
        """Path and step of each archive that was named."""
        if not os.path.exists(self.path("named")):
            return []
        with open(self.path("named")) as file:
            return [(line.split(" step=")[0], int(line.split(" step=")[1])) for line in file.read().splitlines()]

    def files_kept(self):
        with tarfile.open(self.kept()[-1][0]) as archive:
            return {member.name: archive.extractfile(member).read().decode() for member in archive}

    def await_kept(self, name):
        end = time.monotonic() + 60
        while not self.kept() or name not in self.files_kept():
            self.assertLess(time.monotonic(), end, "{} is not kept".format(name))
            time.sleep(0.02)

    def test_runs_a_command_at_the_port_of_the_task(self):
        code, out, err = self.run_notebook('echo "$TB_PORT $HOME ${PYTHONPATH%%:*} ${TONY_CHECKPOINT_FILE-none}"')
        self.assertEqual((0, "2345 {0} {0} none\n".format(self.folder), ""), (code, out, err))
        self.assertEqual([], self.kept())

    def test_ends_as_the_command_does(self):
        self.assertEqual(3, self.run_notebook("exit 3")[0])
        self.assertEqual(137, self.run_notebook("kill -KILL $$")[0])

    def test_keeps_what_changes(self):
        wait = "until [ -e {} ]; do sleep 0.02; done; ".format(self.path("go"))
        running = self.start("echo 1 > notebooks/a; " + wait + "echo 2 > notebooks/a; mkdir notebooks/sub; echo 3 > notebooks/sub/b")
        self.await_kept("a")
        self.assertEqual({"a": "1\n"}, self.files_kept())
        before = len(self.kept())
        time.sleep(0.5)
        self.assertEqual(before, len(self.kept()))  # Nothing has changed.
        self.write("go", "")
        running.communicate()
        self.assertEqual({"a": "2\n", "sub/b": "3\n"}, self.files_kept())
        steps = [step for _, step in self.kept()]
        self.assertEqual(sorted(set(steps)), steps)

    def test_begins_with_what_was_kept(self):
        self.write("a.ipynb", "as it came")
        self.run_notebook("echo mine > notebooks/a.ipynb; mkdir notebooks/__pycache__; touch notebooks/__pycache__/b; ln -s /etc notebooks/link")
        path, step = self.kept()[-1]
        subprocess.check_call(["rm", "-r", self.path("notebooks")])
        self.write("new.ipynb", "came later")

        # A clock that goes back must not make it older than what it began with.
        latest = {"TONY_CHECKPOINT_LATEST": path, "TONY_CHECKPOINT_STEP": str(step + 1000)}
        code, out, err = self.run_notebook("cd notebooks && head * && rm a.ipynb", **latest)

        self.assertEqual("==> a.ipynb <==\nmine\n\n==> new.ipynb <==\ncame later", out)
        self.assertIn("the files are those of ", err)
        self.assertEqual(step + 1001, self.kept()[-1][1])
        self.assertEqual({"new.ipynb": "came later"}, self.files_kept())

    def test_names_what_is_too_large_and_keeps_the_rest(self):
        fill = "cd notebooks; head -c 800 /dev/zero > large; head -c 300 /dev/zero > small; sleep 0.3; head -c 301 /dev/zero > small"
        code, out, err = self.run_notebook(fill, "notebook.MOST_BYTES = 1000")
        self.assertEqual(["small"], list(self.files_kept()))
        self.assertEqual(1, err.count("notebooks/large is not kept"), err)

    def test_goes_on_where_files_cannot_be_packed(self):
        self.write("broken.py", "")
        broken = "packs = []\npack = notebook.Keeper._pack\n" + (
            "def fail_once(path, names):\n"
            "    packs.append(path)\n"
            "    if len(packs) == 1: raise OSError('it grew smaller')\n"
            "    pack(path, names)\n"
            "notebook.Keeper._pack = staticmethod(fail_once)\n"
        )
        code, out, err = self.run_notebook("echo 1 > notebooks/a; sleep 1", broken)
        self.assertEqual((0, {"a": "1\n"}), (code, self.files_kept()))
        self.assertEqual("tony notebook: the files are not kept for now: it grew smaller\n", err)

    def test_keeps_its_files_when_it_is_stopped(self):
        command = "trap 'echo last > notebooks/b; exit 0' TERM; echo 1 > notebooks/a; while :; do sleep 0.02; done"
        running = self.start(command, "notebook.LOOK_EVERY_S = 3600")
        while not os.path.exists(self.path("notebooks/a")):
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        running.communicate()
        self.assertEqual(0, running.returncode)
        self.assertEqual({"a": "1\n", "b": "last\n"}, self.files_kept())
        self.assertEqual(2, len(self.kept()))  # The first before the command has ended, which may take too long.

    def test_stops_the_command_with_what_it_has_started(self):
        running = self.start("sleep 300 & echo begun; wait")
        self.assertEqual("begun\n", running.stdout.readline())
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)  # What lives has the pipe open.
        self.assertEqual(143, running.returncode)

    def idle(self, activity, look="print(round(use.idle_s()))"):
        server = http.server.HTTPServer(("127.0.0.1", 0), Activity)
        server.activity = activity
        threading.Thread(target=server.serve_forever, daemon=True).start()
        program = FAST + "use = notebook.Use({})\nuse.last = notebook.time.time() - 500\n".format(server.server_port) + look
        try:
            return subprocess.check_output([sys.executable, "-c", program], env=self.task, cwd=self.folder).decode()
        finally:
            server.shutdown()
            server.server_close()

    @staticmethod
    def ago(seconds):
        return time.strftime("%Y-%m-%dT%H:%M:%S.123456Z", time.gmtime(time.time() - seconds))

    def kernel(self, state, seconds):
        return {"/api/kernels": [{"execution_state": state, "last_activity": self.ago(seconds)}]}

    def test_is_idle_since_somebody_used_it(self):
        self.assertAlmostEqual(500, int(self.idle({})), delta=5)
        self.assertAlmostEqual(500, int(self.idle(self.kernel("idle", 900))), delta=5)
        self.assertAlmostEqual(100, int(self.idle(self.kernel("idle", 100))), delta=5)
        self.assertAlmostEqual(100, int(self.idle({"/api/terminals": [{"last_activity": self.ago(100)}]})), delta=5)
        self.assertAlmostEqual(0, int(self.idle(self.kernel("busy", 900))), delta=5)

    def test_ends_when_it_is_idle_for_too_long(self):
        serve = """
server = notebook.subprocess.Popen(["sleep", "300"], start_new_session=True)
print(notebook.serve(server, notebook.Keeper(), use, 1), server.poll())
"""
        self.assertEqual("0 -15\n", self.idle(self.kernel("idle", 900), serve))

    def test_goes_on_while_it_is_used(self):
        serve = """
server = notebook.subprocess.Popen(["sleep", "2"], start_new_session=True)
print(notebook.serve(server, notebook.Keeper(), use, 1))
"""
        self.assertEqual("0\n", self.idle(self.kernel("busy", 900), serve + "print(server.returncode)").split("\n", 1)[1])

    def test_says_what_jupyter_needs(self):
        absent = "notebook.importlib.util.find_spec = lambda name: None"
        code, out, err = self.run_notebook("", absent)
        self.assertEqual(1, code)
        self.assertIn("there is no Jupyter in " + sys.executable, err)
        code, out, err = self.run_notebook("", absent, JUPYTER_TOKEN="")
        self.assertIn("JUPYTER_TOKEN is not set", err)


if __name__ == "__main__":
    unittest.main()
