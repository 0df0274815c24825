package io.tony.cluster;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.testing.BuildArtifacts;
import io.tony.testing.TonyCommand;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.junit.Test;

/**
 * What a fixed job costs, counted and not timed: a busy machine changes none of it. Each number may
 * be at most the one in {@code counts.txt}, classes 3 % more, as a JDK or a class that is split
 * changes that; where a change makes one smaller, commit that.
 */
public class CountsIT extends ClusterTest {
  private static final int TASKS = 4;

  /** Its own: an earlier test may have left TonY's jar in the usual one. */
  private static final String CACHE = ".tony/cache-of-counts";

  private static final String BY_MASTERS = "ResourceManager, by masters: ";
  private static final String ALLOCATE = "Allocate";
  private static final String CLASSES = "classes of a JVM: ";
  private static final long CLASSES_ROOM_PERCENT = 3;
  private static final long LOOK_EVERY_MS = 50;

  /** How often it comes depends on how long something takes. */
  private static final long ANY = -1;

  /** Else nothing was counted. */
  private static final Set<String> MUST_BE_COUNTED =
      Set.of(
          "ResourceManager, by clients: SubmitApplication",
          "ResourceManager, by masters: RegisterApplicationMaster",
          "NameNode: Create",
          "classes of a JVM: client",
          "classes of a JVM: master",
          "classes of a JVM: executor",
          "threads of a JVM: master",
          "threads of a JVM: executor");

  /** Of hadoop and our own jars: how many of the JDK's there are is the JDK's. */
  private static final String OUR_CLASSES = " source: file:";

  /** Which classes there were: to compare where one run counts more than another. */
  private static final Path KEPT = Path.of("target", "counts");

  @Test
  public void shouldCostNoMoreThanIsCommitted() throws Exception {
    Path root = folder.getRoot().toPath();
    for (String pipe : List.of("started", "go")) {
      assertEquals(
          0, new ProcessBuilder("mkfifo", root.resolve(pipe).toString()).start().waitFor());
    }
    Map<String, Long> counts = new TreeMap<>();
    calls(counts, -1);
    // Open at both ends, so that nobody waits to open them.
    try (RandomAccessFile started = new RandomAccessFile(root.resolve("started").toFile(), "rw");
        RandomAccessFile go = new RandomAccessFile(root.resolve("go").toFile(), "rw");
        TonyCommand tony = submit(root)) {
      started.readFully(new byte[TASKS]); // a line of each
      threads(tony.application(), counts);
      go.writeBytes("\n");
      awaitTheEndOfAContainer(tony.application());
      go.writeBytes("\n".repeat(TASKS - 1));
      tony.assertExit(0);
    }
    calls(counts, 1);
    try (FileSystem fs = cluster().fileSystem()) {
      assertTrue(fs.delete(new org.apache.hadoop.fs.Path(fs.getHomeDirectory(), CACHE), true));
    }
    counts.values().removeIf(count -> count == 0);
    classes(root, counts);

    Map<String, Long> committed = committed();
    List<String> more = new ArrayList<>();
    counts.forEach(
        (what, count) -> {
          long most = committed.getOrDefault(what, 0L);
          System.out.println("counted: " + what + " = " + count + " (" + most + ")");
          if (count > most + room(what, most) && most != ANY) {
            more.add(what + ": " + count + ", and not " + most);
          }
        });
    assertEquals("more than counts.txt allows", List.of(), more);
    assertTrue(counts.keySet().toString(), counts.keySet().containsAll(MUST_BE_COUNTED));
  }

  private static long room(String what, long most) {
    return what.startsWith(CLASSES) ? most * CLASSES_ROOM_PERCENT / 100 : 0;
  }

  private static Map<String, Long> committed() throws IOException {
    Map<String, Long> committed = new TreeMap<>();
    Path file = Path.of("src/test/resources/counts.txt");
    for (String line : Files.readAllLines(file)) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        String[] parts = line.split(" = ", 2);
        committed.put(parts[0], parts[1].equals("any") ? ANY : Long.parseLong(parts[1]));
      }
    }
    return committed;
  }

  private TonyCommand submit(Path root) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(BuildArtifacts.file("bin/tony").toString());
    command.addAll(
        TonyCommand.small(
            "submit",
            "-executes",
            "echo > " + root + "/started; read line < " + root + "/go",
            "-conf",
            "tony.worker.instances=" + TASKS,
            "-conf",
            "tony.cache.location=" + CACHE,
            // Whether an executor lives to its first heartbeat is chance.
            "-conf",
            "tony.task.heartbeat-interval-ms=60000",
            "-conf",
            "tony.task.am.jvm.opts=" + classLog(root, "master"),
            "-conf",
            "tony.task.executor.jvm.opts=" + classLog(root, "executor")));
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
    builder.environment().put("HADOOP_CONF_DIR", cluster().confDir().toString());
    builder.environment().put("TONY_HADOOP_CLASSPATH", cluster().hadoopClasspath());
    // Else its classes would come from an archive, or be noted for one in the tester's home.
    builder.environment().put("TONY_CACHE", "none");
    builder.environment().put("JDK_JAVA_OPTIONS", classLog(root, "client"));
    return TonyCommand.start(builder);
  }

  private static String classLog(Path root, String name) {
    return "-Xlog:class+load:file=" + root.resolve(name + "-%p.classes");
  }

  private static void classes(Path root, Map<String, Long> counts) throws IOException {
    try (Stream<Path> files = Files.list(root)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".classes")).toList()) {
        try (Stream<String> lines = Files.lines(file)) {
          String name = file.getFileName().toString();
          List<String> loaded = lines.filter(line -> line.contains(OUR_CLASSES)).toList();
          counts.merge(CLASSES + name.replaceFirst("-.*", ""), (long) loaded.size(), Math::max);
          Files.createDirectories(KEPT);
          Files.write(KEPT.resolve(name), loaded);
        }
      }
    }
  }

  /** Until the ApplicationMaster knows of it, too: else what it loads for that would be chance. */
  private static void awaitTheEndOfAContainer(String application) throws Exception {
    while (containers(application) > TASKS) { // the ApplicationMaster's own among them
      Thread.sleep(LOOK_EVERY_MS);
    }
    int port = ports().get(BY_MASTERS);
    long asked = DaemonCalls.of(port).get(ALLOCATE);
    while (DaemonCalls.of(port).get(ALLOCATE) < asked + 2) { // one may have been answered before
      Thread.sleep(LOOK_EVERY_MS);
    }
  }

  private static int containers(String application) throws IOException, YarnException {
    return report(application).getApplicationResourceUsageReport().getNumUsedContainers();
  }

  /** Of the JVMs in the containers of an application. */
  private static void threads(String application, Map<String, Long> counts) throws IOException {
    for (ProcessHandle process : processes("/bin/java ")) {
      if (folderOf(process).orElse(Path.of("")).toString().contains(application)) {
        String command = process.info().commandLine().orElse("");
        String name = command.contains("AmMain") ? "master" : "executor";
        counts.merge(
            "threads of a JVM: " + name, tasks(Path.of("/proc/" + process.pid())), Math::max);
      }
    }
  }

  private static long tasks(Path proc) throws IOException {
    try (Stream<Path> tasks = Files.list(proc.resolve("task"))) {
      return tasks.count();
    }
  }

  /** Adds what the cluster's daemons have been asked so far, {@code sign} times. */
  private static void calls(Map<String, Long> counts, int sign) throws IOException {
    ports()
        .forEach(
            (whose, port) ->
                DaemonCalls.of(port)
                    .forEach((call, times) -> counts.merge(whose + call, sign * times, Long::sum)));
  }

  private static Map<String, Integer> ports() throws IOException {
    YarnConfiguration conf = new YarnConfiguration(cluster().configuration());
    return Map.of(
        "ResourceManager, by clients: ",
        conf.getSocketAddr(YarnConfiguration.RM_ADDRESS, "", 0).getPort(),
        BY_MASTERS,
        conf.getSocketAddr(YarnConfiguration.RM_SCHEDULER_ADDRESS, "", 0).getPort(),
        "NameNode: ",
        cluster().fileSystem().getUri().getPort());
  }
}
