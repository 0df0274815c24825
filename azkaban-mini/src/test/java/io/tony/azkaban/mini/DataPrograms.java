package io.tony.azkaban.mini;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.mini.MiniClusterProcess;
import io.tony.testing.BuildArtifacts;
import io.tony.testing.LeavesNothing;
import io.tony.testing.TestCluster;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * The programs of {@code docs/data.md}, run as they stand there, by alice, on a cluster whose nodes
 * have what those of an installed Hadoop have: a class path with *, and a libhdfs in the folder
 * that HADOOP_COMMON_HOME names.
 */
public abstract class DataPrograms {
  static final String DATA = "/user/alice/data";
  private static final Pattern PROGRAM =
      Pattern.compile("(?ms)^```python\\n# (\\w+\\.py)\\n(.*?)^```$");

  /** A program that wants to save something at SIGTERM, and uses HDFS. */
  private static final String HANDLES_SIGTERM =
      """
      import os, signal
      from pyarrow import fs

      received = []
      signal.signal(signal.SIGTERM, lambda number, frame: received.append(number))
      fs.HadoopFileSystem("default")
      os.kill(os.getpid(), signal.SIGTERM)
      print("handled", received)
      """;

  static MiniClusterProcess cluster;
  private static boolean kerberos;
  private static String python;
  private static Path libhdfs;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();

  /** Within the rule above: jobs are over before their folder is deleted. */
  @Rule(order = 1)
  public final LeavesNothing leavesNothing = LeavesNothing.on(() -> cluster);

  private Path src;

  static void startCluster(boolean withKerberos) throws Exception {
    kerberos = withKerberos;
    FrameworkEnvironments.require("data");
    python = FrameworkEnvironments.python("data");
    libhdfs = FrameworkEnvironments.libhdfs();
    String name = kerberos ? "data-kerberos" : "data";
    Path conf = Path.of("target", name, "conf").toAbsolutePath();
    List<String> options =
        new ArrayList<>(
            List.of(
                TestCluster.settings(
                    "yarn.application.classpath=" + conf + "," + BuildArtifacts.hadoopJars() + "/*",
                    "yarn.nodemanager.admin-env=HADOOP_COMMON_HOME=" + libhdfs)));
    if (kerberos) {
      options.addAll(List.of("--kerberos", "alice"));
    }
    cluster = TestCluster.start(name, options.toArray(String[]::new));
    if (!kerberos) {
      cluster.makeHome("alice");
    }
  }

  @AfterClass
  public static void stopCluster() throws Exception {
    if (cluster != null) { // else the tests are not to run
      cluster.close();
      cluster = null;
    }
  }

  /** The path of a command beside the interpreter. */
  static String command(String name) {
    return Path.of(python).resolveSibling(name).toString();
  }

  @Before
  public void extractPrograms() throws IOException {
    src = temporary.newFolder("src").toPath();
    String page = Files.readString(BuildArtifacts.file("docs/data.md"));
    for (MatchResult program : PROGRAM.matcher(page).results().toList()) {
      Files.writeString(src.resolve(program.group(1)), program.group(2));
    }
    Files.writeString(src.resolve("handles_sigterm.py"), HANDLES_SIGTERM);
  }

  TonyCommand submit(String command, String... settings) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("-src_dir", src.toString()));
    arguments.addAll(List.of("-executes", command));
    List<String> all = new ArrayList<>(List.of(settings));
    if (kerberos) {
      // The node's /etc/krb5.conf is not that of this cluster.
      all.add("tony.execution.env.LIBHDFS_OPTS=-Xrs " + TonyCommand.krb5Conf(cluster));
    }
    all.forEach(setting -> arguments.addAll(List.of("-conf", setting)));
    String[] more = arguments.toArray(String[]::new);
    Path folder = temporary.getRoot().toPath();
    return kerberos
        ? TonyCommand.startWithTicket(
            "alice", cluster, folder, TonyCommand.smallWithKerberos(cluster, "submit", more))
        : TonyCommand.startAs("alice", cluster, folder, TonyCommand.small("submit", more));
  }

  /** Runs each program with its arguments, one after the other. */
  static String pythons(String... programs) {
    return String.join(
        " && ", Stream.of(programs).map(program -> python + " -B " + program).toList());
  }

  /** Waits for the job's success and returns what its programs have printed. */
  static String printed(TonyCommand job) throws Exception {
    job.assertExit(0);
    return logs(job.application(), "stdout") + logs(job.application(), "stderr");
  }

  static String logs(String application, String file) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path container : cluster.containerLogs(application)) {
      if (Files.exists(container.resolve(file))) {
        text.append(Files.readString(container.resolve(file)));
      }
    }
    return text.toString();
  }

  static void assertPrinted(String printed, String... lines) {
    for (String line : lines) {
      assertTrue(line + "\nwas not printed:\n" + printed, printed.contains(line + "\n"));
    }
    assertFalse(printed, printed.contains("Exception"));
  }

  void makeData() throws Exception {
    try (TonyCommand job = submit(pythons("make_data.py " + DATA), "tony.worker.instances=1")) {
      assertPrinted(printed(job));
    }
  }

  @Test
  public void shouldReadAndWriteTables() throws Exception {
    makeData();
    String noTicket = "test -z \"$KRB5CCNAME\" && test ! -e /tmp/krb5cc_$(id -u) && ";
    try (TonyCommand job =
        submit(
            noTicket
                + pythons(
                    "with_pandas.py " + DATA,
                    "local_copy.py " + DATA + "/images images",
                    "handles_sigterm.py"),
            "tony.worker.instances=1")) {
      assertPrinted(
          printed(job), "1000 rows, 500 positive", "8 images", "8 files copied", "handled [15]");
    }
    assertEquals("written by fsspec\n", cluster.hdfsText(DATA + "/notes.txt"));
    assertWrittenByAlice(DATA + "/notes.txt");
  }

  @Test
  public void shouldReadImagesInSeveralProcesses() throws Exception {
    makeData();
    try (TonyCommand job =
        submit(pythons("images.py " + DATA + "/images"), "tony.worker.instances=1")) {
      assertPrinted(printed(job), "8 images, mean 3.5");
    }
  }

  @Test
  public void shouldShareRowGroupsAmongWorkers() throws Exception {
    makeData();
    try (TonyCommand job =
        submit(
            pythons("read_shard.py " + DATA + "/table.parquet /user/alice/out"),
            "tony.application.framework=pytorch",
            "tony.worker.instances=2")) {
      assertPrinted(
          printed(job),
          "worker 0 of 2: 500 rows, sum 224750",
          "worker 1 of 2: 500 rows, sum 274750");
    }
    assertEquals(
        List.of("part-0.parquet", "part-1.parquet"),
        cluster.hdfsNames("/user/alice/out").stream().sorted().toList());
    assertWrittenByAlice("/user/alice/out/.part-0");
  }

  @Test
  public void shouldReadWithALibhdfsThatTheJobShips() throws Exception {
    String library = "lib/native/libhdfs.so";
    try (TonyCommand job =
        submit(
            pythons("make_data.py " + DATA),
            "tony.worker.instances=1",
            "tony.execution.env.ARROW_LIBHDFS_DIR=/none",
            "tony.worker.resources=" + libhdfs.resolve(library))) {
      assertPrinted(printed(job));
    }
  }

  @Test
  public void shouldLeaveTheEnvironmentWhereTheOptionIsOff() throws Exception {
    try (TonyCommand job =
        submit(
            pythons("make_data.py " + DATA),
            "tony.worker.instances=1",
            "tony.task.hadoop-environment=false")) {
      job.assertExit(1);
      assertTrue(job.text(), job.text().contains("Unable to load libhdfs"));
    }
  }

  static void assertWrittenByAlice(String path) throws Exception {
    String user = kerberos ? "ugi=alice@TONY.TEST (auth:TOKEN)" : "ugi=alice (auth:SIMPLE)";
    List<String> created =
        cluster.audit().stream()
            .filter(line -> line.contains("cmd=create\t") && line.contains("src=" + path + "\t"))
            .toList();
    assertFalse(path + " is in no line of the audit", created.isEmpty());
    for (String line : created) {
      assertTrue(line, line.contains(user));
    }
  }
}
