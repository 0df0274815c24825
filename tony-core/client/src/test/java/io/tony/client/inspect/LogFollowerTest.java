package io.tony.client.inspect;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tony.client.follow.ReportedYarn;
import io.tony.client.output.JobLog;
import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.eventlog.LogTail;
import io.tony.logs.LogContentsTest;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.impl.YarnClientImpl;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.Records;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** A job that goes on each time that its client pauses. */
public class LogFollowerTest {
  private static final TaskId WORKER = new TaskId("worker", 0);
  private static final TaskId OTHER = new TaskId("worker", 1);
  private static final TaskId THIRD = new TaskId("worker", 2);
  private static final ResizeFact.Resized FEWER =
      new ResizeFact.Resized("worker", 3, 2, 1, Map.of(2, 1), "YARN did not give more");

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(60);

  private final Map<String, String> files = new ConcurrentHashMap<>(); // by container and name
  private final Deque<Step> steps = new ArrayDeque<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private HttpServer node;
  private String address;
  private boolean ended;
  private int cutOff; // bytes at the end of the next file that is sent
  private boolean lengthTold; // of that answer
  private Duration paused = Duration.ZERO;

  private interface Step {
    void happens() throws IOException;
  }

  @Before
  public void serve() throws IOException {
    node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    address = "127.0.0.1:" + node.getAddress().getPort();
    node.createContext("/ws/v1/node/containerlogs/", this::answer);
    node.start();
  }

  @After
  public void stop() {
    node.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String file = files.get(path.substring(path.indexOf("container_")));
    if (file == null) {
      exchange.sendResponseHeaders(404, -1);
    } else {
      int asked =
          Integer.parseInt(exchange.getRequestURI().getQuery().substring("size=-".length()));
      String last = file.substring(Math.max(0, file.length() - asked));
      byte[] body = LogContentsTest.sent(file.length(), last).getBytes(StandardCharsets.UTF_8);
      int cut = asked > 1 ? cutOff : 0;
      exchange.sendResponseHeaders(200, cut == 0 || lengthTold ? body.length : 0);
      exchange.getResponseBody().write(body, 0, body.length - cut);
      if (cut > 0) {
        cutOff = 0;
        exchange.getResponseBody().flush();
        throw new IOException("the connection breaks");
      }
    }
    exchange.close();
  }

  private static String container(int number) {
    return "container_1_0001_01_00000" + number;
  }

  private void write(int container, String file, String text) {
    files.merge(container(container) + "/" + file, text, String::concat);
  }

  private void happened(Fact... facts) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Fact fact : facts) {
      lines.append(EventJson.write(fact.toEvent(Instant.EPOCH, 0))).append('\n');
    }
    Files.writeString(
        folder.getRoot().toPath().resolve("events.jsonl"),
        lines,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private TaskFact.Allocated allocated(TaskId task, int container) {
    return new TaskFact.Allocated(
        task,
        container(container),
        "node",
        "http://" + address + "/node/containerlogs/" + container(container) + "/alice");
  }

  private static TaskFact.Succeeded succeeded(TaskId task) {
    return new TaskFact.Succeeded(task, Map.of(), "");
  }

  /** What is printed while the job takes its steps. */
  private List<String> followed(TaskId task) throws Exception {
    YarnClientImpl yarn =
        new YarnClientImpl() {
          @Override
          public List<NodeReport> getNodeReports(NodeState... states) {
            NodeReport report = Records.newRecord(NodeReport.class);
            report.setHttpAddress(address);
            return List.of(report);
          }
        };
    Configuration conf = new YarnConfiguration();
    conf.set("yarn.nodemanager.remote-app-log-dir", folder.newFolder().toURI().toString());
    FileSystem fs = FileSystem.getLocal(conf).getRawFileSystem();
    JobLog out = new JobLog(bytes);
    new LogFollower(
            new LogTail(fs, new Path(folder.getRoot().toURI())),
            new TaskLogs(conf, yarn, ReportedYarn.APPLICATION, "alice"),
            task,
            out,
            wait -> {
              paused = paused.plus(wait);
              try {
                if (!steps.isEmpty()) {
                  steps.remove().happens();
                }
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .followToEnd(() -> ended);
    out.flush();
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  public void shouldPrintWhatAProgramWritesUntilItsTaskEnds() throws Exception {
    happened(allocated(WORKER, 2), allocated(OTHER, 3));
    write(3, "stdout", "nobody asked\n");
    steps.add(() -> write(2, "stdout", "one\ntw"));
    steps.add(() -> write(2, "stdout", "o\nthree\n"));
    steps.add(() -> write(2, "stderr", "warning \u001b[2J\n"));
    steps.add(
        () -> {
          write(2, "stdout", "x".repeat(200_000) + "\nno end");
          happened(succeeded(WORKER));
        });

    List<String> lines = followed(WORKER);

    assertEquals(List.of("stdout: one", "stdout: two", "stdout: three"), lines.subList(0, 3));
    assertEquals("stderr: warning \uFFFD[2J", lines.get(3));
    assertEquals("stdout: no end", lines.get(lines.size() - 1));
    int longLine =
        lines.subList(4, lines.size() - 1).stream()
            .mapToInt(l -> l.replace("stdout: ", "").length())
            .sum();
    assertEquals(200_000, longLine);
  }

  @Test
  public void shouldGoOnWhereAnAnswerBroke() throws Exception {
    assertEquals(TEN_LINES, shown(followedThroughABreak(false)));
  }

  @Test
  public void shouldGoOnWhereAnAnswerEndedTooSoon() throws Exception {
    assertEquals(TEN_LINES, shown(followedThroughABreak(true)));
  }

  /** The rest of a file is all that its reader gets to see of it. */
  @Test
  public void shouldGoOnAtTheEndWhereAnAnswerBroke() throws Exception {
    happened(allocated(WORKER, 2));
    lengthTold = true;
    steps.add(
        () -> {
          tenLines();
          happened(succeeded(WORKER));
          ended = true;
        });

    assertEquals(TEN_LINES, shown(followed(WORKER)));
  }

  private static final List<String> TEN_LINES =
      IntStream.range(0, 10).mapToObj(i -> "stdout: line " + i).toList();

  /** The answer with ten lines breaks off in the last but one. */
  private List<String> followedThroughABreak(boolean withLength) throws Exception {
    happened(allocated(WORKER, 2));
    lengthTold = withLength;
    steps.add(this::tenLines);
    steps.add(() -> {});
    steps.add(() -> happened(succeeded(WORKER)));
    return followed(WORKER);
  }

  private void tenLines() {
    String below = LogContentsTest.sent(0, "").replaceFirst("(?s).*LogContents:\n", "");
    cutOff = below.length() + "e 8\nline 9\n".length();
    IntStream.range(0, 10).forEach(i -> write(2, "stdout", "line " + i + "\n"));
  }

  @Test
  public void shouldNameTheTaskWhereAllAreFollowed() throws Exception {
    happened(allocated(WORKER, 2), allocated(OTHER, 3));
    write(2, "stdout", "one\n");
    write(3, "stdout", "two\n");
    steps.add(() -> happened(succeeded(WORKER)));
    steps.add(() -> write(3, "stdout", "three\n"));
    steps.add(() -> happened(succeeded(OTHER)));

    assertEquals(
        List.of("worker:0 stdout: one", "worker:1 stdout: two", "worker:1 stdout: three"),
        followed(null).stream().filter(line -> !line.startsWith("(")).toList());
  }

  @Test
  public void shouldFollowATaskIntoItsNextContainer() throws Exception {
    happened(allocated(WORKER, 2));
    write(2, "stdout", "first\n");
    steps.add(
        () -> {
          write(2, "stdout", "the reason");
          happened(
              new TaskFact.Failed(WORKER, FailureKind.PROGRAM, "", 3, "", "", "node", ""),
              new TaskFact.Restarted(
                  WORKER,
                  FailureKind.PROGRAM,
                  "",
                  1,
                  1,
                  false,
                  true,
                  RetryBudgetOwner.ROLE,
                  false,
                  "node",
                  null),
              allocated(WORKER, 4));
        });
    steps.add(() -> write(4, "stdout", "again\n"));
    steps.add(() -> happened(succeeded(WORKER)));

    assertEquals(
        List.of("stdout: first", "stdout: the reason", "stdout: again"),
        followed(WORKER).stream().filter(line -> !line.startsWith("(")).toList());
  }

  @Test
  public void shouldGoOnWhenTheGangIsStartedAgain() throws Exception {
    happened(allocated(WORKER, 2), allocated(OTHER, 3));
    write(2, "stdout", "first\n");
    steps.add(
        () ->
            happened(
                new TaskFact.Stopped(WORKER),
                new GangFact.Restarted(
                    OTHER,
                    FailureKind.LOST,
                    "",
                    1,
                    2,
                    RetryBudgetOwner.JOB,
                    1,
                    false,
                    "node",
                    List.of())));
    steps.add(() -> write(2, "stdout", "again\n"));
    steps.add(
        () -> {
          ended = true;
          happened(new JobFact.Finished(JobResult.succeeded("")));
        });

    List<String> lines = followed(WORKER);

    assertEquals(List.of("stdout: first", "stdout: again"), lines.subList(0, 2));
  }

  @Test
  public void shouldSayWhatIsNotToBeHadAnyMore() throws Exception {
    happened(allocated(WORKER, 2));
    write(2, "stdout", "first\n");
    write(2, "stderr", "");
    steps.add(
        () -> {
          files.clear();
          ended = true;
        });

    List<String> lines = followed(WORKER);

    assertEquals("stdout: first", lines.get(0));
    assertTrue(
        lines.get(1),
        lines
            .get(1)
            .startsWith(
                "(worker:0 stdout: the rest is neither on the node any more nor among the"
                    + " aggregated logs: "));
  }

  @Test
  public void shouldWaitOnceForAllThatNodesHandIn() throws Exception {
    for (int i = 0; i < 9; i++) {
      happened(allocated(new TaskId("worker", i), i));
    }
    ended = true;

    List<String> lines = followed(null);

    assertEquals(18, lines.stream().filter(line -> line.contains("the rest is neither")).count());
    assertTrue(paused.toString(), paused.compareTo(Duration.ofSeconds(70)) < 0);
  }

  @Test
  public void shouldEndWithAJobThatHasNoSuchTask() throws Exception {
    happened(allocated(OTHER, 3), new JobFact.Finished(JobResult.succeeded("")));

    assertFalse(followed(WORKER).stream().anyMatch(line -> line.startsWith("stdout")));
  }

  /** The other one's container is lost, and a third one's is its own from then on. */
  @Test
  public void shouldFollowContainersThatBecomeOtherTasks() throws Exception {
    happened(allocated(WORKER, 2), allocated(OTHER, 3), allocated(THIRD, 4));
    write(4, "stdout", "one\n");
    steps.add(
        () -> {
          write(3, "stdout", "the last\n");
          happened(FEWER);
        });
    steps.add(() -> write(4, "stdout", "two\n"));
    steps.add(() -> happened(succeeded(WORKER), succeeded(OTHER)));

    assertEquals(
        List.of("worker:2 stdout: one", "worker:1 stdout: the last", "worker:1 stdout: two"),
        followed(null).stream().filter(line -> !line.startsWith("(")).toList());
  }

  @Test
  public void shouldFollowATaskIntoTheContainerOfAnother() throws Exception {
    happened(allocated(OTHER, 3), allocated(THIRD, 4));
    write(3, "stdout", "one\n");
    write(4, "stdout", "two\n");
    steps.add(() -> happened(FEWER));
    steps.add(() -> happened(succeeded(OTHER)));

    assertEquals(List.of("stdout: one", "stdout: two"), shown(followed(OTHER)));
  }

  @Test
  public void shouldEndWithATaskThatIsGone() throws Exception {
    happened(allocated(WORKER, 2), allocated(THIRD, 4));
    write(4, "stdout", "one\n");
    steps.add(() -> happened(FEWER));

    assertEquals(List.of("stdout: one"), shown(followed(THIRD)));
    assertTrue("the job goes on", steps.isEmpty());
  }

  private static List<String> shown(List<String> lines) {
    return lines.stream().filter(line -> !line.startsWith("(")).toList();
  }
}
