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
        said = self.server.activity.get(self.path, 404)
        self.send_response(403 if not allowed else 200 if isinstance(said, list) else said)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

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
        running = self.start("echo 1 > a; mv a notebooks; " + wait + "echo 2 > notebooks/a; mkdir notebooks/sub; echo 3 > notebooks/sub/b")
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
        before = self.kept()
        path, step = before[-1]
        subprocess.check_call(["rm", "-r", self.path("notebooks")])
        self.write("new.ipynb", "came later")

        os.remove(self.path(".tony/notebook-begun"))  # In another container.
        # A clock that goes back must not make it older than what it began with.
        latest = {"TONY_CHECKPOINT_LATEST": path, "TONY_CHECKPOINT_STEP": str(step + 1000)}
        code, out, err = self.run_notebook("cd notebooks && head * && rm a.ipynb", **latest)

        self.assertEqual("==> a.ipynb <==\nmine\n\n==> new.ipynb <==\ncame later", out)
        self.assertIn("the files are those of ", err)
        self.assertEqual(step + 1001, self.kept()[len(before)][1])
        self.assertEqual({"new.ipynb": "came later"}, self.files_kept())

    def test_goes_on_with_its_files_in_the_same_container(self):
        self.write("first.ipynb", "")
        self.run_notebook("echo old > notebooks/a")
        path, step = self.kept()[-1]
        self.write("notebooks/a", "newer")
        os.remove(self.path("notebooks/first.ipynb"))
        again = {"TONY_CHECKPOINT_LATEST": path, "TONY_CHECKPOINT_STEP": str(step)}
        self.assertEqual("a newer", self.run_notebook("cd notebooks; echo $(ls) $(cat a)", **again)[1].strip())

    def test_keeps_at_once_what_was_written_before_it_was_started_again(self):
        self.run_notebook("echo old > notebooks/a")
        path, step = self.kept()[-1]
        self.write("notebooks/b", "written after the last copy")
        again = {"TONY_CHECKPOINT_LATEST": path, "TONY_CHECKPOINT_STEP": str(step)}
        running = self.start("until [ -e go ]; do sleep 0.02; done", **again)
        self.await_kept("b")
        self.write("go", "")
        running.communicate()

    def test_keeps_that_all_was_deleted(self):
        self.run_notebook("touch notebooks/a")
        path, step = self.kept()[-1]
        latest = {"TONY_CHECKPOINT_LATEST": path, "TONY_CHECKPOINT_STEP": str(step)}
        self.run_notebook("rm notebooks/a", **latest)
        self.assertEqual({}, self.files_kept())

    def test_names_its_files_again_at_the_end(self):
        self.run_notebook("echo 1 > a; mv a notebooks; until [ -s named ]; do sleep 0.02; done; sleep 0.3")
        self.assertEqual(2, len(self.kept()))  # TonY may not have been able to copy the first.

    def test_names_what_is_too_large_and_keeps_the_rest(self):
        fill = "cd notebooks; head -c 800 /dev/zero > large; head -c 300 /dev/zero > small; "
        change = "until [ -s ../named ]; do sleep 0.02; done; head -c 301 /dev/zero > small"
        code, out, err = self.run_notebook(fill + change, "notebook.MAX_BYTES = 1000")
        self.assertGreater(len(self.kept()), 1)
        self.assertEqual(["small"], list(self.files_kept()))
        self.assertEqual(1, err.count("notebooks/large is not kept"), err)

    def test_goes_on_where_files_cannot_be_packed(self):
        broken = (
            "keep = notebook.NotebookSaver._save\n"
            "tries = []\n"
            "def fail_once(keeper, now):\n"
            "    tries.append(1)\n"
            "    if len(tries) == 1: raise OSError('no space left')\n"
            "    keep(keeper, now)\n"
            "notebook.NotebookSaver._save = fail_once\n"
        )
        until_kept = "echo 1 > a; mv a notebooks; until [ -s named ]; do sleep 0.02; done"
        code, out, err = self.run_notebook(until_kept, broken)
        self.assertEqual((0, {"a": "1\n"}), (code, self.files_kept()))
        self.assertEqual("tony notebook: the files are not kept for now: no space left\n", err)

    def test_names_what_cannot_be_read_and_keeps_the_rest(self):
        program = """
open_file = notebook.os.open
def locked(path, *flags):
    if str(path).endswith("locked"):
        raise PermissionError("not allowed")
    return open_file(path, *flags)
notebook.os.open = locked
"""
        code, out, err = self.run_notebook("touch notebooks/locked notebooks/a; mkfifo notebooks/pipe", program)
        self.assertEqual((0, {"a": ""}), (code, self.files_kept()))
        self.assertEqual("tony notebook: notebooks/locked is not kept: not allowed\n", err)

    def test_packs_whole_files_though_they_are_written_meanwhile(self):
        shrinks = """
copy = notebook.shutil.copyfileobj
def shrinking(source, target):
    with open("notebooks/a", "w") as file:
        file.write("new")
    copy(source, target)
notebook.shutil.copyfileobj = shrinking
"""
        code, out, err = self.run_notebook("echo longer > notebooks/a", shrinks)
        self.assertEqual("", err)
        self.assertEqual({"a": "new"}, self.files_kept())

    def test_does_not_look_more_often_than_it_can_pack(self):
        slow = "keep = notebook.NotebookSaver._save\nnotebook.NotebookSaver._save = lambda *all: (notebook.time.sleep(0.5), keep(*all))"
        code, out, err = self.run_notebook("for i in 1 2 3 4 5 6 7 8; do echo $i > notebooks/a; sleep 0.2; done", slow)
        self.assertEqual(2, len(self.kept()))  # The first, and the one at the end.
        self.assertEqual({"a": "8\n"}, self.files_kept())

    def test_deletes_archives_that_tony_has_taken(self):
        changes = "for i in 1 2 3 4 5 6; do echo $i > a; mv a notebooks; "
        until_kept = "until [ \"$(wc -l < named)\" -ge $i ]; do sleep 0.02; done; done"
        self.run_notebook("touch named; " + changes + until_kept)
        self.assertEqual(
            [path for path, _ in self.kept()[-3:]],
            sorted(os.path.join(self.path("local"), name) for name in os.listdir(self.path("local"))),
        )
        self.assertEqual({"a": "6\n"}, self.files_kept())

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

    def test_keeps_its_files_when_it_is_stopped_while_it_packs_them(self):
        slow = """
add = notebook.NotebookSaver._add
def slowly(*all):
    open("packing", "w").close()
    notebook.time.sleep(0.5)
    add(*all)
notebook.NotebookSaver._add = slowly
"""
        running = self.start("echo 1 > a; mv a notebooks; exec sleep 300", slow)
        while not os.path.exists(self.path("packing")):
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        running.communicate()
        self.assertEqual(143, running.returncode)
        self.assertEqual({"a": "1\n"}, self.files_kept())

    def test_ends_a_command_that_has_begun_just_when_it_is_stopped(self):
        stopped = """
start = notebook.start
def start_and_be_stopped(port):
    notebook.os.kill(notebook.os.getpid(), notebook.signal.SIGTERM)
    server = start(port)
    notebook.os.kill(notebook.os.getpid(), notebook.signal.SIGTERM)
    return server
notebook.start = start_and_be_stopped
"""
        running = self.start("exec sleep 300", stopped)
        running.communicate(timeout=60)  # What lives has the pipe open.
        self.assertEqual(143, running.returncode)

    def test_ends_a_command_that_does_not_end_itself(self):
        running = self.start("trap '' TERM; echo begun; while :; do sleep 0.02; done", "notebook.END_WITHIN_S = 0.2")
        self.assertEqual("begun\n", running.stdout.readline())
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
        self.assertEqual(137, running.returncode)

    def test_stops_the_command_with_what_it_has_started(self):
        running = self.start("sleep 300 & echo begun; wait")
        self.assertEqual("begun\n", running.stdout.readline())
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)  # What lives has the pipe open.
        self.assertEqual(143, running.returncode)

    def look_at(self, activity, program):
        """Runs the program beside what tells this activity; returns what it printed."""
        server = http.server.HTTPServer(("127.0.0.1", 0), Activity)
        server.activity = activity
        threading.Thread(target=server.serve_forever, daemon=True).start()
        program = FAST + "use = notebook.Use({})\n".format(server.server_port) + program
        try:
            return subprocess.check_output([sys.executable, "-c", program], env=self.task, cwd=self.folder).decode()
        finally:
            server.shutdown()
            server.server_close()

    def is_used(self, activity):
        """At the second look, when nothing is new."""
        later = "use.idle_s()\nuse.last -= 500\nprint(use.idle_s() < 400)"
        return self.look_at(activity, later) == "True\n"

    @staticmethod
    def kernel(state):
        return {"/api/kernels": [{"execution_state": state, "last_activity": "2026-11-26T07:30:00.123456Z"}], "/api/terminals": []}

    def test_is_used_while_a_kernel_is_busy(self):
        self.assertTrue(self.is_used(self.kernel("busy")))
        self.assertFalse(self.is_used(self.kernel("idle")))
        self.assertFalse(self.is_used({**self.kernel("idle"), "/api/terminals": 404}))
        self.assertTrue(self.is_used({**self.kernel("busy"), "/api/terminals": 404}))

    def test_is_used_when_a_kernel_or_a_terminal_has_done_something(self):
        for place in ["/api/kernels", "/api/terminals"]:
            activity = self.kernel("idle")
            activity[place] = [{"execution_state": "idle", "last_activity": "later"}]
            changes = "use.idle_s()\nuse.activity = ['earlier']\nuse.last -= 500\nprint(use.idle_s() < 400)"
            self.assertEqual("True\n", self.look_at(activity, changes))

    def test_is_used_where_jupyter_does_not_tell(self):
        self.assertTrue(self.is_used({"/api/kernels": 403}))
        self.assertTrue(self.is_used({"/api/kernels": 500}))

    def test_is_unused_where_jupyter_does_not_answer_or_says_nonsense(self):
        self.assertFalse(self.is_used({**self.kernel("busy"), "/api/kernels": [{}]}))
        nobody = "import socket\nwith socket.socket() as s:\n    s.bind(('127.0.0.1', 0))\n    use.port = s.getsockname()[1]\n"
        later = "use.last -= 500\nprint(use.idle_s() > 400)"
        self.assertEqual("True\n", self.look_at({}, nobody + later))

    def test_ends_when_it_is_unused_for_too_long(self):
        serve = """
server = notebook.subprocess.Popen(["sleep", "300"], start_new_session=True)
print(notebook.serve(server, notebook.NotebookSaver(), use, 1), server.poll())
"""
        self.assertEqual("0 -15\n", self.look_at(self.kernel("idle"), serve))

    def test_goes_on_while_it_is_used(self):
        serve = """
server = notebook.subprocess.Popen(["sleep", "2"], start_new_session=True)
print(notebook.serve(server, notebook.NotebookSaver(), use, 1), server.returncode)
"""
        self.assertEqual("0 0\n", self.look_at(self.kernel("busy"), serve))

    def test_is_used_when_a_file_changes(self):
        serve = """
changes = "for i in $(seq 100); do echo $i > notebooks/a; sleep 0.05; done"
server = notebook.subprocess.Popen(["bash", "-c", changes], start_new_session=True)
notebook.os.makedirs("notebooks")
print(notebook.serve(server, notebook.NotebookSaver(), use, 3), server.returncode)
"""
        self.assertEqual("0 0\n", self.look_at(self.kernel("idle"), serve))

    def test_runs_a_module_whatever_the_users_files_are_called(self):
        for name in ["email.py", "notebooks/email.py"]:
            self.write(name, "raise SystemExit('the wrong one')")
        run = """
notebook.os.chdir({!r})
command = [notebook.sys.executable, "-c", notebook.WITHOUT_OWN_FILES, notebook.os.getcwd(), "http.server", "--help"]
print(notebook.subprocess.check_output(command, cwd="notebooks", env=notebook.environment(1)).decode())
"""
        said = subprocess.check_output([sys.executable, "-c", FAST + run.format(self.folder)], env=self.task, cwd="/")
        self.assertIn(b"--directory", said)

    def test_says_what_jupyter_needs(self):
        absent = "notebook.importlib.util.find_spec = lambda name: None"
        code, out, err = self.run_notebook("", absent)
        self.assertEqual(1, code)
        self.assertIn("there is no Jupyter in " + sys.executable, err)
        code, out, err = self.run_notebook("", absent, JUPYTER_TOKEN="")
        self.assertIn("JUPYTER_TOKEN is not set", err)


if __name__ == "__main__":
    unittest.main()
