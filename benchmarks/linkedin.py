"""The peer: LinkedIn's TonY 0.4.7, and the Hadoop 2 that it runs on. Its jars come from Maven Central when a benchmark asks
for them; the product never sees them."""
import os
import pathlib
import subprocess
import sys

import harness

JARS = harness.JARS / "peer"
PEER = pathlib.Path(__file__).resolve().parent / "peer"
VERSION = "0.4.7"


def fetch():
    stamp = JARS / "fetched"
    if stamp.exists() and stamp.stat().st_mtime >= (PEER / "pom.xml").stat().st_mtime:
        return
    print(f"Fetching TonY {VERSION} and Hadoop 2", file=sys.stderr, flush=True)
    subprocess.run(["mvn", "-q", "-B", "-f", PEER / "pom.xml", "package"], check=True, stdin=subprocess.DEVNULL,
                   stdout=sys.stderr)
    stamp.touch()


def java_home():
    settings = subprocess.run([harness.java(), "-XshowSettings:properties", "-version"], stderr=subprocess.PIPE, text=True)
    return next(line.partition("=")[2].strip() for line in settings.stderr.splitlines()
                if line.strip().startswith("java.home ="))


class Hadoop2(harness.Cluster):
    """As TonyMini, of Hadoop 2.10.2."""

    def __init__(self, work, node_memory_mb=4096, node_vcores=8):
        fetch()
        jars = ":".join(str(jar) for jar in sorted((JARS / "hadoop").glob("*.jar")))
        os.environ["JAVA_HOME"] = java_home()  # the containers' too
        super().__init__(work, [harness.java(), "-Xmx1g", *harness.OPENS, "-cp", jars, str(PEER / "Hadoop2Cluster.java"),
                                str(work / "cluster2"), jars, str(node_memory_mb), str(node_vcores)], "cluster2")
        self.environment = {}


def distributed_shell(cluster, work):
    jar = next((JARS / "hadoop").glob("hadoop-yarn-applications-distributedshell-*.jar"))
    shell = harness.DistributedShell(cluster, work, jar)
    shell.name = jar.stem.replace("hadoop-yarn-applications-distributedshell-", "DistributedShell ")
    return shell


class LinkedInTony:
    """TonyClient, started by java alone."""
    name = f"TonY {VERSION}"
    master, executor = "ApplicationMaster", "TaskExecutor"
    retries = "tony.am.retry-count"

    def __init__(self, cluster, work):
        self.cluster, self.work = cluster, work
        self.sources = work / "sources"
        self.sources.mkdir(exist_ok=True)
        (self.sources / "empty").touch()
        self.classpath = f"{cluster.conf}:{JARS}/tony/*:{cluster.classpath}"
        self.lib = f"{cluster.setting('fs.defaultFS')}/lib"
        self.hdfs("-mkdir", "/lib")
        self.hdfs("-put", *sorted((JARS / "tony").glob("*.jar")), "/lib")

    def hdfs(self, *arguments):
        harness.Command([harness.java(), *harness.OPENS, "org.apache.hadoop.fs.FsShell", *arguments],
                        self.work / "hdfs.log", harness.client_environment({"CLASSPATH": self.classpath}),
                        self.work).succeed(120)

    def submit(self, tasks, program, memory_mb=512, master_mb=512, options=(), environment=None):
        argv = [harness.java(), *harness.OPENS, "com.linkedin.tony.TonyClient", "-executes", " ".join(map(str, program)),
                "-src_dir", self.sources, "-hdfs_classpath", self.lib, "-container_env", "SKIP_HADOOP_PATH=true"]
        for option in (f"tony.worker.instances={tasks}", f"tony.worker.memory={memory_mb}m", f"tony.am.memory={master_mb}m",
                       "tony.ps.instances=0", "tony.application.security.enabled=false",
                       f"tony.application.hdfs-conf-path={self.cluster.conf}/hdfs-site.xml",
                       f"tony.application.yarn-conf-path={self.cluster.conf}/yarn-site.xml", *options):
            argv += ["-conf", option]
        return harness.Command(argv, self.work / "peer.log",
                               harness.client_environment({"CLASSPATH": self.classpath}, environment), self.work)
