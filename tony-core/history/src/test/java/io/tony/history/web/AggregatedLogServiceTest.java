package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.container.ViewRule;
import io.tony.event.TaskFact;
import io.tony.history.HistoryIndex;
import io.tony.history.RecordedJobs;
import io.tony.logs.ContainerLogFile;
import io.tony.logs.LogPiece;
import io.tony.logs.LogRequest;
import io.tony.model.TaskId;
import io.tony.page.PageFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

public class AggregatedLogServiceTest {
  private static final String CONTAINER = "container_1700000000000_0001_01_000002";

  @Rule public final TemporaryFolder folder = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final Configuration conf = new YarnConfiguration();
  private Instant now = RecordedJobs.submitted(1).plus(Duration.ofDays(1));
  private Path history;
  private HandedIn handedIn;
  private HistoryIndex index;

  @Before
  public void begin() throws Exception {
    history = folder.getRoot().toPath().resolve(".tony/history");
    handedIn = new HandedIn(conf, folder.getRoot().toPath());
  }

  @After
  public void stop() throws Exception {
    index.close();
  }

  private static TaskFact.Allocated allocated(String container) {
    return new TaskFact.Allocated(
        new TaskId("worker", 0), container, HandedIn.NODE, "http://node-1:1/x");
  }

  /** The events of a job with a container, of which the fifth names it. */
  private void record(int number) throws Exception {
    RecordedJobs.write(history, number, RecordedJobs.begin(number));
    RecordedJobs.write(history, number, List.of(allocated(CONTAINER)));
  }

  private void recordEnded(int number) throws Exception {
    record(number);
    RecordedJobs.write(history, number, RecordedJobs.end(0.5));
  }

  private HistoryApi serve() throws Exception {
    FileSystem fs = FileSystem.getLocal(conf).getRawFileSystem();
    index = new HistoryIndex(fs, List.of(folder.getRoot() + "/.tony/history*"), null, 2, () -> now);
    index.update();
    return new HistoryApi(
        index,
        new OpenLogs(fs, OpenLogs.MAX_CHARS),
        new AggregatedLogService(conf, () -> now),
        new JobVisibility(new ViewRule(conf)),
        PageFiles.ofLists(),
        PageFiles.ofJob());
  }

  private static JsonNode ask(HistoryApi served, int number, String container, int event, long from)
      throws Exception {
    HistoryIndex.Log log = served.find(RecordedJobs.id(number), job -> true).get(0);
    LogRequest request = new LogRequest(container, event, ContainerLogFile.STDERR, from);
    return new ObjectMapper().readTree(served.taskLog(log, request));
  }

  @Test
  public void shouldShowTheLastOfWhatANodeHasHandedIn() throws Exception {
    recordEnded(1);
    String text = "x".repeat(100_000) + "the <end>\n";
    handedIn.write(CONTAINER, Map.of("stderr", text, "stdout", "other"));
    JsonNode answer = ask(serve(), 1, CONTAINER, 4, -1);
    assertEquals(text.substring(text.length() - LogPiece.MAX_BYTES), answer.get("text").asText());
    assertEquals(text.length(), answer.get("length").asInt());
    assertEquals(text.length(), answer.get("end").asInt());
    assertFalse("there will be no more", answer.has("pause"));
  }

  @Test
  public void shouldShowAllInPieces() throws Exception {
    recordEnded(1);
    String text = "0123456789".repeat(15_000);
    handedIn.write(CONTAINER, Map.of("stderr", text));
    HistoryApi served = serve();
    StringBuilder all = new StringBuilder();
    JsonNode piece;
    do {
      piece = ask(served, 1, CONTAINER, 4, all.length());
      assertTrue(piece.get("text").asText().length() <= LogPiece.MAX_BYTES);
      all.append(piece.get("text").asText());
    } while (piece.has("pause"));
    assertEquals(text, all.toString());
  }

  @Test
  public void shouldReadNoContainerButThoseThatTheJobsOwnLogNames() throws Exception {
    recordEnded(1);
    recordEnded(2); // its log names a container of another job
    handedIn.write(CONTAINER, Map.of("stderr", "secret"));
    HistoryApi served = serve();
    String other = "container_1700000000000_0001_01_000003";
    for (JsonNode answer :
        List.of(
            ask(served, 2, CONTAINER, 4, -1),
            ask(served, 1, other, 4, -1),
            ask(served, 1, CONTAINER, 3, -1),
            ask(served, 1, CONTAINER, 9_999, -1))) {
      assertEquals("This job has no such container.", answer.get("why").asText());
      assertFalse(answer.has("text"));
    }
  }

  @Test
  public void shouldWaitForWhatIsHandedInSoonAndNotForEver() throws Exception {
    recordEnded(1);
    now = RecordedJobs.submitted(1).plusSeconds(60);
    HistoryApi served = serve();
    JsonNode answer = ask(served, 1, CONTAINER, 4, -1);
    String early = answer.get("why").asText();
    assertTrue(early, early.startsWith("Its node has not handed in stderr yet"));
    assertTrue(answer.get("pause").asInt() > 0);

    now = now.plus(Duration.ofHours(1));
    answer = ask(served, 1, CONTAINER, 4, -1);
    String late = answer.get("why").asText();
    assertTrue(late, late.endsWith("tony logs " + RecordedJobs.id(1) + " worker:0"));
    assertFalse(answer.has("pause"));

    handedIn.write(CONTAINER, Map.of("stdout", "it wrote nothing else"));
    assertEquals(
        "no such file",
        late.replaceFirst("(?s) \\(.*\\)\\. YARN", ". YARN"),
        ask(served, 1, CONTAINER, 4, -1).get("why").asText());
  }

  @Test
  public void shouldSayWhereTheLogOfAJobThatRunsIs() throws Exception {
    record(1);
    Files.setLastModifiedTime(
        history.resolve(RecordedJobs.id(1)).resolve("events.jsonl"),
        java.nio.file.attribute.FileTime.from(now));
    JsonNode answer = ask(serve(), 1, CONTAINER, 4, -1);
    assertEquals(
        "The job runs: its page at YARN's link shows what its tasks write.",
        answer.get("why").asText());
    assertTrue(answer.get("pause").asInt() > 0);
  }

  @Test
  public void shouldSayThatNodesHandInNothing() throws Exception {
    recordEnded(1);
    conf.setBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, false);
    JsonNode answer = ask(serve(), 1, CONTAINER, 4, -1);
    assertTrue(answer.toString(), answer.get("onNode").asBoolean());
    assertTrue(answer.get("why").asText().contains("yarn.log-aggregation-enable"));
  }
}
