"""What the benchmarks share: clusters, what is submitted to them, what /proc says, and tables."""
import argparse
import datetime
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "target" / "benchmarks"
JARS = TARGET / "jars"
MIB = 1 << 20
CLUSTER_START_LIMIT_S = 180
CLUSTER_STOP_LIMIT_S = 60
IDLE_LIMIT_S = 60
FIRST_JOB_LIMIT_S = 120
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# For files and processes, of which nothing tells; short beside what is measured.
LOOK_AGAIN_S = 0.005
# What Hadoop reflects upon.
OPENS = [f"--add-opens=java.base/{package}=ALL-UNNAMED"
         for package in ("java.lang", "java.util", "java.net", "java.io", "java.nio", "sun.nio.ch")]


def fail(message):
    sys.exit(f"error: {message}")


def java():
    return str(pathlib.Path(os.environ["JAVA_HOME"], "bin/java")) if os.environ.get("JAVA_HOME") else "java"


# --- builds -----------------------------------------------------------------------------------------------------------

def build():
    """Has Maven pack tony-core and tony-mini where the sources are newer than the last build of this function."""
    stamp = TARGET / "built"
    sources = [ROOT / "pom.xml"]
    for module in ("tony-core", "tony-core/*", "tony-mini"):
        sources += [*ROOT.glob(f"{module}/pom.xml"), *ROOT.glob(f"{module}/src/**/*")]
    newest = max(source.stat().st_mtime for source in sources)
    packed = list(ROOT.glob("tony-core/target/tony-core-*.jar")) and (ROOT / "tony-mini/target/lib").is_dir()
    if packed and stamp.exists() and stamp.stat().st_mtime >= newest:
        return
    print("Building with Maven", file=sys.stderr, flush=True)
    TARGET.mkdir(parents=True, exist_ok=True)
    before = time.time()
    subprocess.run(["mvn", "-q", "-B", "-DskipTests", "package", "-pl", "tony-mini,tony-core", "-am"], cwd=ROOT, check=True,
                   stdin=subprocess.DEVNULL, stdout=sys.stderr)
    stamp.touch()
    os.utime(stamp, (before, before))  # what was edited during the build must be built the next time


def test_class_path(work):
    """That of tony-core's tests, in which the generators are. With the modules that it needs: no repository has them."""
    path = work / "classpath"
    subprocess.run(["mvn", "-q", "-B", "test-compile", "dependency:build-classpath", f"-Dmdep.outputFile={path}",
                    "-Dmdep.includeScope=test", "-pl", "tony-core", "-am"], cwd=ROOT, check=True, stdin=subprocess.DEVNULL,
                   stdout=sys.stderr)
    return f"{ROOT}/tony-core/target/test-classes:{ROOT}/tony-core/target/classes:{path.read_text().strip()}"


def hadoop_version():
    return re.search("<hadoop.version>(.*)</hadoop.version>", (ROOT / "pom.xml").read_text()).group(1)


def distributed_shell_jar():
    """Hadoop's own sample application, which Maven Central has and the product does not need."""
    artifact = f"hadoop-yarn-applications-distributedshell-{hadoop_version()}.jar"
    jar = JARS / artifact
    if not jar.exists():
        print(f"Fetching {artifact}", file=sys.stderr, flush=True)
        subprocess.run(["mvn", "-q", "-B", "-N", "dependency:copy", f"-DoutputDirectory={JARS}",
                        "-Dartifact=org.apache.hadoop:hadoop-yarn-applications-distributedshell:" + hadoop_version()],
                       cwd=ROOT, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    return jar


# --- processes --------------------------------------------------------------------------------------------------------

class Run:
    """A command that has ended: when, how, and what it used."""

    def __init__(self, process, began, ended, usage):
        self.code, self.began, self.ended = process.returncode, began, ended
        self.cpu = usage.ru_utime + usage.ru_stime

    @property
    def wall(self):
        return self.ended - self.began


class Command:
    """A command that runs, in a session of its own so that a limit ends all of it."""

    def __init__(self, argv, log, environment, cwd, output=None):
        """environment is the whole of it; output is where what it prints goes, by default to the log as its errors do."""
        self.log = log
        with open(log, "ab") as errors, open(output or log, "ab") as out:
            self.began = time.time()
            self.process = subprocess.Popen([str(part) for part in argv], env=environment, cwd=cwd,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=True)
        self.pid = self.process.pid

    def wait(self, limit_s):
        timer = threading.Timer(limit_s, self.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(self.pid, 0)
            ended = time.time()
        except BaseException:
            self.kill()
            raise
        finally:
            timer.cancel()
        self.process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return Run(self.process, self.began, ended, usage)

    def succeed(self, limit_s):
        run = self.wait(limit_s)
        if run.code:
            fail(f"a command ended with {run.code}, see {self.log}")
        return run

    def kill(self):
        if self.process.returncode is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            self.kill()
            self.wait(IDLE_LIMIT_S)


def stat(pid):
    """The fields of /proc/PID/stat from the state on."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu(pid):
    """Seconds of CPU that a process has used, its children left out."""
    fields = stat(pid)
    return (int(fields[11]) + int(fields[12])) * TICK_S


def cpu_of_ended_children(pid):
    fields = stat(pid)
    return (int(fields[13]) + int(fields[14])) * TICK_S


def memory(pid):
    """VmRSS and VmHWM, and the proportional share, in MiB."""
    found = {}
    for file in ("status", "smaps_rollup"):
        for line in pathlib.Path(f"/proc/{pid}/{file}").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in ("VmRSS", "VmHWM", "Pss"):
                found[name] = int(value.split()[0]) / 1024
    return found


def await_true(condition, limit_s, what):
    deadline = time.monotonic() + limit_s
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            fail(f"waited {limit_s} s for {what}")
        time.sleep(LOOK_AGAIN_S)


# --- clusters ---------------------------------------------------------------------------------------------------------

class Cluster:
    """HDFS and YARN in one JVM on the loopback interface. Subclasses say how it is started.

    environment is what clients of it need; classpath the jars of its Hadoop."""

    def __init__(self, work, argv, name="cluster"):
        self.folder = work / name
        self.log = work / f"{name}.log"
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(argv, cwd=work, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self.await_start()
        except BaseException:
            self.stop()
            raise
        self.pid = self.process.pid

    def await_start(self):
        ready = self.folder / "ready"
        await_true(lambda: ready.exists() or self.process.poll() is not None, CLUSTER_START_LIMIT_S,
                   f"the cluster to start, see {self.log}")
        if self.process.poll() is not None:
            fail(f"the cluster did not start, see {self.log}")
        entries = dict(line.split("=", 1) for line in ready.read_text().splitlines() if "=" in line)
        self.entries = {name: value.replace("\\", "") for name, value in entries.items()}
        self.conf, self.classpath = self.entries["conf"], self.entries["classpath"]
        self.nodes = str(self.folder / "yarn" / "nodes") + "/"

    def containers(self):
        """Processes that work in a folder of a container, or were started in one: pid -> command line."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self.process.pid:
                continue
            try:
                if (os.readlink(entry / "cwd").startswith(self.nodes)
                        or self.nodes.encode() in (entry / "environ").read_bytes()):
                    command = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                    if command != [""]:  # not one that has ended and waits for its parent
                        found[int(entry.name)] = command
            except OSError:
                pass  # ended meanwhile
        return found

    def jvms(self, main_class):
        """Pids of the JVMs in containers whose main class has this simple name."""
        return sorted(pid for pid, command in self.containers().items()
                      if pathlib.Path(command[0]).name == "java"
                      and any(part.endswith("." + main_class) for part in command))

    def await_idle(self):
        """No container is left, so that the next run has the machine for itself."""
        await_true(lambda: not self.containers(), IDLE_LIMIT_S, "the containers to end")

    def cpu_of_containers(self):
        """Of all that have ended, which the NodeManagers, threads of this process, have waited for."""
        return cpu_of_ended_children(self.pid)

    def setting(self, name):
        for site in pathlib.Path(self.conf).glob("*-site.xml"):
            for entry in xml.etree.ElementTree.parse(site).getroot():
                if entry.findtext("name") == name:
                    return entry.findtext("value")
        return None

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(CLUSTER_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pid in self.containers() if hasattr(self, "nodes") else ():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class TonyMini(Cluster):
    """The project's own mini cluster; two NodeManagers."""

    def __init__(self, work, node_memory_mb=4096, node_vcores=8, *options):
        jar = next(ROOT.glob("tony-mini/target/tony-mini-*.jar"))
        super().__init__(work, [java(), "-Xmx1g", *OPENS, "-cp", f"{jar}:{ROOT}/tony-mini/target/lib/*",
                                "io.tony.mini.TonyMini", "--dir", str(work / "cluster"), "--node-memory-mb", str(node_memory_mb),
                                "--node-vcores", str(node_vcores), *options])
        self.environment = {"HADOOP_CONF_DIR": self.conf, "TONY_HADOOP_CLASSPATH": self.classpath}


# --- what is submitted ------------------------------------------------------------------------------------------------

def client_environment(*parts):
    """This process's, with further variables; without those that would have bin/tony take another jar or site."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("TONY_")}
    return {name: value for part in (own, *parts) if part for name, value in part.items()}


class Tony:
    """This project's TonY, by its own command."""
    name = "TonY"
    master, executor = "AmMain", "TaskExecutor"
    retries = "tony.gang.max-restarts"

    def __init__(self, cluster, work):
        self.cluster, self.work = cluster, work
        self.classes = work / "classes"
        self.environment = {**cluster.environment, "TONY_CACHE": self.classes}

    def prepared(self):
        """This, once a first client has left its classes for those that follow: another process prepares them."""
        self.submit(1, ["true"], 128, 256).succeed(FIRST_JOB_LIMIT_S)
        await_true(lambda: any(self.classes.glob("*.jsa")), FIRST_JOB_LIMIT_S, "an archive of the client's classes")
        self.cluster.await_idle()
        return self

    def submit(self, tasks, program, memory_mb=512, master_mb=512, options=(), environment=None):
        """Starts the client; program is a command line of plain words."""
        argv = [ROOT / "bin/tony", "submit", "-executes", " ".join(map(str, program))]
        for option in (f"tony.worker.instances={tasks}", f"tony.worker.memory={memory_mb}m",
                       f"tony.am.memory={master_mb}m", "tony.application.framework=generic", *options):
            argv += ["-conf", option]
        return Command(argv, self.work / "tony.log", client_environment(self.environment, environment),
                       self.work)


class TonyInAzkaban(Tony):
    """This project's TonY, by the JVM that the job type starts for each job; only Azkaban is not there."""
    name = "TonY"

    def __init__(self, cluster, work):
        super().__init__(cluster, work)
        documented = (ROOT / "plugins/jobtypes/tony/plugin.properties").read_text()
        self.jvm_arguments = re.search("^#?tony.client.jvm.args=(.*)$", documented, re.MULTILINE).group(1).split()
        core = next(ROOT.glob("tony-core/target/tony-core-*.jar"))
        # Folders come last: a JVM has no prepared classes of jars behind one.
        self.environment = {"CLASSPATH": f"{core}:{cluster.classpath}:{cluster.conf}", "HADOOP_CONF_DIR": cluster.conf}
        self.classes.mkdir(mode=0o700, exist_ok=True)

    def submit(self, tasks, program, memory_mb=512, master_mb=512, options=(), environment=None, name="job"):
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.work))
        properties = {"azkaban.job.id": name, "executes": " ".join(map(str, program)), "tony.worker.instances": tasks,
                      "tony.worker.memory": f"{memory_mb}m", "tony.am.memory": f"{master_mb}m",
                      "tony.application.framework": "generic",
                      **dict(option.split("=", 1) for option in options)}
        (folder / "job.properties").write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        archive = self.classes / "client.jsa"
        # As SetupCheck, ClientArchive and ClientLaunch put it together.
        argv = [java(), f"-Dtony.client.archive={archive}", "-Xlog:cds*=off",
                f"-XX:SharedArchiveFile={archive}" if archive.exists() else f"-XX:DumpLoadedClassList={archive}.%p",
                "--add-opens=java.base/java.lang=ALL-UNNAMED", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8",
                "-Dstderr.encoding=UTF-8", *self.jvm_arguments, "io.tony.client.TonyCli", "submit",
                "-job_file", folder / "job.properties", "-status_file", folder / "status.properties",
                "-output_file", folder / "output.json", "-events"]
        return Command(argv, folder / "client.log", client_environment(self.environment, environment), folder)


class DistributedShell:
    """Hadoop's sample application: the least that runs a command in containers. Its client is started by java alone."""
    name = "DistributedShell"

    def __init__(self, cluster, work, jar):
        self.cluster, self.work, self.jar = cluster, work, jar

    def submit(self, tasks, program, memory_mb=512, master_mb=512):
        command, *arguments = map(str, program)
        argv = [java(), *OPENS, "org.apache.hadoop.yarn.applications.distributedshell.Client", "-appname", "benchmark",
                "-jar", self.jar, "-shell_command", command, "-shell_args", " ".join(arguments),
                "-num_containers", tasks, "-container_memory", memory_mb, "-master_memory", master_mb,
                "-timeout", 600_000]
        classpath = f"{self.cluster.conf}:{self.jar}:{self.cluster.classpath}"
        return Command(argv, self.work / "distributedshell.log", client_environment({"CLASSPATH": classpath}), self.work)


class Program:
    """What the tasks run: it writes the time to a file of its own, does something, and writes the time again."""

    def __init__(self, work, name, action):
        self.folder = work / name
        self.script = work / f"{name}.sh"
        self.script.write_text(f"folder=$1\ndate +%s.%N >$folder/started-$$\n{action}\n")
        self.clear()

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    @property
    def command(self):
        return ["bash", self.script, self.folder]

    def times(self, what):
        """Of all tasks, sorted."""
        found = []
        for file in self.folder.glob(what + "-*"):
            text = file.read_text()
            if text.endswith("\n"):
                found.append(float(text))
        return sorted(found)

    def await_times(self, what, count, limit_s, since=0):
        def there():
            times = [moment for moment in self.times(what) if moment > since]
            return times if len(times) >= count else None
        return await_true(there, limit_s, f"{count} programs that have {what}")


# --- statistics and tables --------------------------------------------------------------------------------------------

def spread(values, digits=2):
    """The median, and the least and the greatest."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def interval(of, values, confidence=0.95, resamples=10_000):
    """Of what a function finds in values, by bootstrap; the same values give the same interval."""
    chance = random.Random(0)
    found = sorted(of(chance.choices(values, k=len(values))) for _ in range(resamples))
    outside = (1 - confidence) / 2
    return found[int(outside * resamples)], found[int((1 - outside) * resamples) - 1]


def table(head, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines)


def load():
    return os.getloadavg()[0]


def machine():
    """One line: when, on what, which versions."""
    model = next((line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown processor")
    mib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB
    version = subprocess.run([java(), "-version"], stderr=subprocess.PIPE, text=True).stderr
    number = re.search('version "(.*?)"', version)
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return (f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores ({model}), "
            f"{mib / 1024:.0f} GiB, Java {number.group(1) if number else '?'}, Hadoop {hadoop_version()}, "
            f"Python {sys.version.split()[0]}, commit {commit or 'unknown'}, load at the start {load():.1f}")


def say(text=""):
    print(text, flush=True)


# --- a benchmark as a command -----------------------------------------------------------------------------------------

def end_in_order():
    """Has SIGTERM end this process as an exception does, and so all that it has started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Work:
    """The folder of one run of a benchmark. It goes when the run succeeds; a failed one leaves its logs."""

    def __init__(self, name):
        TARGET.mkdir(parents=True, exist_ok=True)
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=TARGET))

    def __enter__(self):
        end_in_order()
        print(f"Logs: {self.path}", file=sys.stderr, flush=True)
        return self.path

    def __exit__(self, kind, *_):
        for path in (self.path / "cluster", self.path / "cluster2") if kind else (self.path,):
            shutil.rmtree(path, ignore_errors=True)


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def numbers(text):
    return [positive(part) for part in text.split(",")]
