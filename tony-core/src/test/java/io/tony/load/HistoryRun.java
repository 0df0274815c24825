package io.tony.load;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobDescription;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.EventLog;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Many jobs' logs in a file system, and how long an index of them takes. It prints one line of JSON
 * for each phase.
 */
public final class HistoryRun {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
  private static final int USERS = 20;

  /** Each waits for HDFS most of the time. */
  private static final int WRITERS = 160;

  private static final int READERS = 8;

  /** The index in its folder. */
  static final String INDEX = "index.jsonl";

  private static final int NEW_JOBS = 100;
  private static final int PAGES = 50;

  private final FileSystem fs;
  private final Path root;
  private final java.nio.file.Path file;

  private HistoryRun(FileSystem fs, Path root, java.nio.file.Path file) {
    this.fs = fs;
    this.root = root;
    this.file = file;
  }

  /** How many jobs, the folder for their logs, and that of the index. */
  public static void main(String[] args) throws Exception {
    Path root = new Path(args[1]);
    java.nio.file.Path file = java.nio.file.Path.of(args[2]).resolve(INDEX);
    new HistoryRun(fileSystem(root), root, file).run(Integer.parseInt(args[0]));
    System.exit(0);
  }

  static FileSystem fileSystem(Path root) throws IOException {
    return "file".equals(root.toUri().getScheme())
        ? new Unforked()
        : root.getFileSystem(new Configuration());
  }

  /** The local one, without the process that Hadoop starts to know the owner of each file. */
  private static final class Unforked extends FilterFileSystem {
    Unforked() throws IOException {
      super(FileSystem.getLocal(new Configuration()).getRawFileSystem());
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      return Stream.of(super.listStatus(path))
          .map(
              file ->
                  new FileStatus(
                      file.getLen(),
                      file.isDirectory(),
                      1,
                      1,
                      file.getModificationTime(),
                      0,
                      null,
                      "ada",
                      "ada",
                      file.getPath()))
          .toArray(FileStatus[]::new);
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
      return RemoteIterators.remoteIteratorFromArray(listStatus(path));
    }
  }

  private interface Phase {
    void run() throws Exception;
  }

  static void print(String phase, long ms, Map<String, Long> more) {
    StringBuilder line = new StringBuilder("{\"phase\":\"" + phase + "\",\"ms\":" + ms);
    more.forEach((name, value) -> line.append(",\"" + name + "\":" + value));
    System.out.println(line.append('}'));
  }

  private static long millis(Phase phase) throws Exception {
    long begin = System.nanoTime();
    phase.run();
    return Duration.ofNanos(System.nanoTime() - begin).toMillis();
  }

  private void run(int jobs) throws Exception {
    print("write", millis(() -> write(0, jobs)), Map.of());
    long empty = heapMiB();
    try (HistoryIndex index = index()) {
      print("rebuild", millis(index::update), Map.of("heapMiB", heapMiB() - empty));
    }
    HistoryIndex[] opened = {null};
    print("open", millis(() -> opened[0] = index()), Map.of("fileBytes", file.toFile().length()));
    try (HistoryIndex index = opened[0]) {
      print("noNews", millis(index::update), Map.of("heapMiB", heapMiB() - empty));
      write(jobs, jobs + NEW_JOBS);
      print("newJobs", millis(index::update), Map.of());
      JobFilter filter = JobFilter.ALL.ofStep("project-3", "", "").withText("out of MEMORY");
      long[] micros = new long[PAGES];
      int[] total = {0};
      for (int i = 0; i < PAGES; i++) {
        long begin = System.nanoTime();
        total[0] = index.page(filter, 10, 50).total();
        micros[i] = (System.nanoTime() - begin) / 1_000;
      }
      long first = micros[0];
      Arrays.sort(micros);
      print(
          "page",
          micros[PAGES / 2] / 1_000,
          new TreeMap<>(
              Map.of(
                  "medianMicros",
                  micros[PAGES / 2],
                  "firstMicros",
                  first,
                  "found",
                  (long) total[0])));
    }
  }

  private HistoryIndex index() throws IOException {
    return index(fs, root, file);
  }

  static HistoryIndex index(FileSystem fs, Path root, java.nio.file.Path file) throws IOException {
    return new HistoryIndex(
        fs, List.of(root + "/*/.tony/history"), file, READERS, InstantSource.system());
  }

  private static long heapMiB() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return (runtime.totalMemory() - runtime.freeMemory()) >> 20;
  }

  // ---- The logs ----

  private void write(int from, int to) throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    List<Callable<Void>> steps = new ArrayList<>();
    for (int job = from; job < to; job++) {
      int number = job;
      steps.add(
          () -> {
            write(number);
            return null;
          });
    }
    for (Future<Void> result : writers.invokeAll(steps)) {
      result.get();
    }
    writers.shutdown();
  }

  private void write(int number) throws IOException {
    Path history = new Path(root, "user-" + number % USERS + "/.tony/history");
    String id = String.format(Locale.ROOT, "application_1700000000000_%06d", number);
    StringBuilder text = new StringBuilder();
    Instant at = BEGIN.plus(Duration.ofMinutes(number));
    for (Fact fact : facts(number, at)) {
      at = at.plusSeconds(7);
      text.append(EventJson.write(fact.toEvent(at, 0))).append('\n');
    }
    try (OutputStream out =
        fs.create(new Path(EventLog.folder(history, id), "events.jsonl"), (short) 1)) {
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** A job of four workers, one in ten of which fails; some 7 KiB. */
  private static List<Fact> facts(int number, Instant submitted) {
    Map<String, String> options = new TreeMap<>();
    for (int i = 0; i < 15; i++) {
      options.put("tony.worker.option-" + i, "a value such as options have");
    }
    List<Fact> facts = new ArrayList<>();
    facts.add(
        new JobFact.MasterStarted(
            1, "node-" + number % 100, 4, null, new JobFact.LaunchTimes(submitted, submitted)));
    facts.add(
        new JobFact.Described(
            new JobDescription(
                "user-" + number % USERS,
                "root.research",
                "train-" + number % 500,
                "pytorch",
                new JobDescription.AzkabanStep(
                    "project-" + number % 10,
                    "flow-" + number % 50,
                    "train-" + number % 500,
                    "" + number,
                    0),
                options,
                "")));
    facts.add(new GangFact.Requested(4, "4 × worker (4096 MiB, 2 vcores)", List.of("worker")));
    for (int i = 0; i < 4; i++) {
      TaskId task = new TaskId("worker", i);
      String container = "container_1700000000000_" + number + "_01_00000" + i;
      facts.add(
          new TaskFact.Allocated(task, container, "node-" + i, "http://node:8042/" + container));
      facts.add(new TaskFact.Registered(task, new Endpoint("node-" + i, 7000 + i), 0));
    }
    facts.add(new GangFact.Running());
    for (int i = 0; i < 3; i++) {
      facts.add(
          new JobFact.UsageReport(
              Map.of("worker:0", "3812 1.97", "worker:1", (3_500 + number % 500) + " 1.90")));
      facts.add(new TaskFact.Progressed(new TaskId("worker", 0), "step " + i + "/3 loss 0.3"));
    }
    boolean fails = number % 10 == 3;
    if (!fails) {
      facts.add(
          new TaskFact.Succeeded(
              new TaskId("worker", 0), Map.of("loss", "0." + number % 1_000, "epochs", "3"), ""));
    }
    facts.add(
        new JobFact.Finished(
            fails
                ? JobResult.failed(
                    FailureKind.MEMORY, "worker:2 on node-2 ran out of memory: 4096 MiB")
                : JobResult.succeeded("all 4 workers succeeded")));
    return facts;
  }
}
