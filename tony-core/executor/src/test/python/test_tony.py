"""Of the module tony that every task may import. Each program is one of its own, as in a container."""

import os
import subprocess
import sys
import tempfile
import unittest

MODULE = os.path.abspath(os.environ["TONY_MODULE"])


class TonyTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.task = {
            "TONY_PROGRESS_FILE": self.path("progress"),
            "TONY_OUTPUT_FILE": self.path("outputs"),
            "TONY_CHECKPOINT_ASKED": self.path("asked"),
            "TONY_CHECKPOINT_LOCAL": self.path("local"),
            "TONY_CHECKPOINT_FILE": self.path("named"),
        }

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def lines(self, name):
        if not os.path.exists(self.path(name)):
            return None
        with open(self.path(name)) as file:
            return file.read().splitlines()

    def run_program(self, program, **environment):
        """Returns what it printed, or the last line of its failure."""
        ran = subprocess.run(
            [sys.executable, "-c", "import os, time, tony\n" + program],
            cwd=self.folder.name,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": MODULE, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        return ran.stdout if ran.returncode == 0 else ran.stderr.splitlines()[-1]

    def in_task(self, program, **environment):
        return self.run_program(program, **{**self.task, **environment})

    EVERYTHING = """
tony.progress(1, 2, loss=0.5)
tony.output(accuracy=1)
open("model", "w").close()
print(tony.checkpoint("model", 1), tony.keeps_checkpoints(), tony.checkpoint_asked(), tony.resume())
"""

    def test_does_nothing_outside_tony(self):
        self.assertEqual("False False False None\n", self.run_program(self.EVERYTHING))
        self.assertEqual(["model"], sorted(os.listdir(self.folder.name)))
        self.assertEqual("other\n", self.run_program('print(tony.checkpoint_folder("other"))'))
        self.assertTrue(os.path.isdir(self.path("other")))

    def test_speaks_for_the_task_in_one_of_its_processes(self):
        self.assertEqual("False False False None\n", self.in_task(self.EVERYTHING, LOCAL_RANK="1"))
        self.assertEqual([None] * 3, [self.lines(name) for name in ("progress", "outputs", "named")])
        self.assertEqual("True True False None\n", self.in_task(self.EVERYTHING, LOCAL_RANK="0"))

    def test_tells_progress_once_a_second_and_the_last_of_it(self):
        program = """
time.monotonic = lambda: 0.0
class Tensor:
    def item(self):
        print("read")
        return 0.123456789

for step in range(1, 1001):
    tony.progress(step, 1000, loss=Tensor(), lr=3, phase="warm up")
"""
        self.assertEqual("read\nread\n", self.in_task(program))
        told = " loss=0.123457 lr=3 phase=warm up"
        self.assertEqual(["step 1/1000" + told, "step 1000/1000" + told], self.lines("progress"))

    def test_tells_progress_again_after_a_second(self):
        program = """
now = [0.0]
time.monotonic = lambda: now[0]
tony.progress(1)
tony.progress(2)
now[0] = 1.1
tony.progress(3)
tony.progress(3)
"""
        self.assertEqual("", self.in_task(program))
        self.assertEqual(["step 1", "step 3", "step 3"], self.lines("progress"))

    def test_does_not_fail_where_progress_cannot_be_written(self):
        program = """
now = [0.0]
time.monotonic = lambda: now[0]
sys.stderr = sys.stdout
for step in range(3):
    now[0] += 2
    tony.progress(step, loss=object)
print("goes on")
"""
        said = self.in_task("import sys\n" + program, TONY_PROGRESS_FILE=self.folder.name).splitlines()
        self.assertEqual(["goes on"], said[1:])
        self.assertTrue(said[0].startswith("tony: the progress is not told: "), said)

    def test_publishes_outputs(self):
        self.in_task('tony.output(accuracy=0.93)\ntony.output({"a.b": "x = y", "accuracy": 0.94})')
        self.assertEqual(["accuracy=0.93", "a.b=x = y", "accuracy=0.94"], self.lines("outputs"))

    def test_refuses_outputs_that_are_no_line(self):
        for values in ('{"a=b": 1}', '{" ": 1}', '{"a": "1\\n2"}', '{"a\\n": 1}'):
            self.assertIn("ValueError: the output", self.in_task("tony.output({})".format(values)))
        self.assertIsNone(self.lines("outputs"))

    def test_names_checkpoints(self):
        program = """
path = os.path.join(tony.checkpoint_folder(), "a b")
os.mkdir(path)
print(tony.checkpoint(path, 7), tony.checkpoint(path))
"""
        self.assertEqual("True True\n", self.in_task(program))
        path = self.path("local/a b")
        self.assertEqual([path + " step=7", path], self.lines("named"))

    def test_refuses_checkpoints_that_are_none(self):
        self.assertIn("FileNotFoundError: there is no checkpoint", self.in_task('tony.checkpoint("gone", 1)'))
        for path in ("a\\nb", "a ", "a step=1"):
            self.assertIn("needs a path that is a line", self.in_task('tony.checkpoint("{}", 1)'.format(path)))
        for step in (-1, 10**12):
            self.assertIn("it is from 0 to 999999999999", self.in_task('tony.checkpoint(".", {})'.format(step)))
        self.assertIsNone(self.lines("named"))

    def test_resumes(self):
        latest = {"TONY_CHECKPOINT_LATEST": "/x/model.pt", "TONY_CHECKPOINT_STEP": "1200", "LOCAL_RANK": "3"}
        self.assertEqual("/x/model.pt 1201\n", self.in_task("start = tony.resume()\nprint(start.path, start.step + 1)", **latest))

    def test_is_not_asked_again_where_nothing_is_kept(self):
        program = """
open(os.environ["TONY_CHECKPOINT_ASKED"], "w").write("1700000000")
print(tony.checkpoint_asked(), tony.checkpoint("."), tony.checkpoint_asked())
"""
        self.assertEqual("True False False\n", self.in_task(program, TONY_CHECKPOINT_FILE=""))
        self.assertEqual("True False False\n", self.in_task(program, LOCAL_RANK="1"))

    def test_reads_no_tensor_of_a_program_that_fails(self):
        program = """
time.monotonic = lambda: 0.0
class Tensor:
    def item(self):
        time.sleep(600)

tony.progress(1)
tony.progress(2, 9, loss=Tensor(), lr=1)
raise KeyError("the failure")
"""
        self.assertEqual("KeyError: 'the failure'", self.in_task(program))
        self.assertEqual(["step 1", "step 2/9 lr=1"], self.lines("progress"))

    def test_keeps_the_newest_files_of_a_callback(self):
        program = """
files = tony._OwnFiles()
now = [0.0]
time.monotonic = lambda: now[0]
for name in ("a", "b", "c", "d"):
    os.mkdir(name) if name == "a" else open(name, "w").close()
    files.add(name)
    now[0] += 2
print(sorted(os.listdir(".")), "a" in files, len(files))
"""
        self.assertEqual("['b', 'c', 'd'] False 3\n", self.in_task(program))
        self.assertIn("['a', 'b', 'c', 'd']", self.in_task(program, LOCAL_RANK="1"))

    def test_is_asked_until_it_names_a_checkpoint(self):
        program = """
def ask(when):
    with open(os.environ["TONY_CHECKPOINT_ASKED"], "w") as asked:
        asked.write(when)

told = [tony.checkpoint_asked()]
ask("1700000000")
told += [tony.checkpoint_asked(), tony.checkpoint_asked()]
tony.checkpoint(".", 1)
told += [tony.checkpoint_asked()]
ask("1700000060")
told += [tony.checkpoint_asked()]
print(*told)
"""
        self.assertEqual("False True True False True\n", self.in_task(program))


if __name__ == "__main__":
    unittest.main()
