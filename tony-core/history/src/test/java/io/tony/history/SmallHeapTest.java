package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.event.Fact;
import io.tony.event.JobFact;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Whatever one user's logs hold, a process with a small heap reads them and goes on to the jobs of
 * others. Each test has a JVM of its own, which ends where its memory does.
 */
public class SmallHeapTest {
  private static final int OUT_OF_MEMORY = 3;

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private String heap = "128m"; // that of "tony list"

  /** Brings an index up to date twice, and prints how many jobs of whom it has. */
  public static final class Reader {
    private Reader() {}

    public static void main(String[] args) throws Exception {
      HistoryIndex index =
          new HistoryIndex(
              new OwnedHomes(),
              List.of(args[0] + "/user/*/.tony/history"),
              Path.of(args[0], "index.jsonl"),
              8,
              InstantSource.system());
      index.update();
      index.update();
      for (String user : List.of("mallory", "zoe")) {
        int jobs = index.page(JobFilter.ALL.withUser(user), 0, 0).total();
        System.out.println(user + " " + jobs); // test output
      }
      index.close();
      System.exit(0);
    }
  }

  /** Returns how many jobs of whom a process shows. */
  private Map<String, Integer> shown() throws Exception {
    RecordedJobs.writeEnded(history("zoe"), 1);
    Path java = Path.of(System.getProperty("java.home"), "bin/java");
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                Reader.class.getName(),
                folder.getRoot().toString())
            .redirectError(folder.getRoot().toPath().resolve("stderr").toFile())
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    assertTrue("out of memory", code != OUT_OF_MEMORY);
    assertEquals(Files.readString(folder.getRoot().toPath().resolve("stderr")), 0, code);
    Map<String, Integer> jobs = new HashMap<>();
    out.lines()
        .filter(line -> line.matches("(mallory|zoe) \\d+"))
        .map(line -> line.split(" "))
        .forEach(line -> jobs.put(line[0], Integer.valueOf(line[1])));
    return jobs;
  }

  private Path history(String user) throws IOException {
    return Files.createDirectories(
        folder.getRoot().toPath().resolve("user/" + user + "/.tony/history"));
  }

  /** The same log in many folders. */
  private void write(int folders, String text) throws IOException {
    Path log = folder.newFile().toPath();
    Files.writeString(log, text);
    for (int i = 1; i <= folders; i++) {
      Path job = Files.createDirectories(history("mallory").resolve(RecordedJobs.id(i)));
      Files.createLink(job.resolve("events.jsonl"), log);
    }
  }

  private static String lines(List<Fact> facts) {
    StringBuilder text = new StringBuilder();
    facts.forEach(
        fact ->
            text.append(EventJson.write(fact.toEvent(RecordedJobs.submitted(1), 0))).append('\n'));
    return text.toString();
  }

  private static Map<String, String> outputs(int count, int length, int from) {
    Map<String, String> outputs = new HashMap<>();
    for (int i = 0; i < count; i++) {
      String name = Integer.toString(from + i, Character.MAX_RADIX);
      outputs.put("ж".repeat(Math.max(0, length - name.length())) + name, "1");
    }
    return outputs;
  }

  @Test
  public void shouldReadLogsWhoseDecisionsHaveMillionsOfLines() throws Exception {
    write(8, "{\"more\":true}\n".repeat(1_500_000));
    assertEquals(Map.of("mallory", 8, "zoe", 1), shown());
  }

  @Test
  public void shouldReadLogsWhoseLinesAreLong() throws Exception {
    write(8, "{\"more\":true,\"x\":\"" + "ж".repeat(8 << 20) + "\"}\n");
    assertEquals(Map.of("mallory", 8, "zoe", 1), shown());
  }

  @Test
  public void shouldHoldFewOutputsOfJobsThatRun() throws Exception {
    List<Fact> facts = new ArrayList<>(RecordedJobs.begin(1));
    for (int task = 0; task < 1_500; task++) {
      facts.add(new TaskFact.Succeeded(new TaskId("worker", task), outputs(50, 2, 50 * task), ""));
    }
    write(20, lines(facts));
    assertShownInPart(20);
  }

  @Test
  public void shouldHoldNoMoreOfOneUsersJobsThanThereIsRoomFor() throws Exception {
    List<Fact> facts = new ArrayList<>(RecordedJobs.begin(1));
    facts.add(new TaskFact.Succeeded(new TaskId("worker", 0), outputs(50, 200, 0), ""));
    facts.add(new JobFact.Finished(JobResult.succeeded("x".repeat(400))));
    heap = "64m";
    write(2_600, lines(facts));
    assertShownInPart(2_600);
  }

  private void assertShownInPart(int written) throws Exception {
    Map<String, Integer> shown = shown();
    assertEquals("the other user's", Integer.valueOf(1), shown.get("zoe"));
    int own = shown.get("mallory");
    assertTrue(own + " of " + written, own > written / 20 && own < written);
  }
}
