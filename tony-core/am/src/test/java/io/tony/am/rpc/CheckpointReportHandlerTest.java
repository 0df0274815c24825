package io.tony.am.rpc;

import static org.junit.Assert.assertEquals;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.machine.Action.StartTask;
import io.tony.am.machine.Event;
import io.tony.checkpoint.CheckpointName;
import io.tony.checkpoint.Manifest;
import io.tony.event.CheckpointFact;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.proto.TonyProtos.CheckpointOutcome;
import io.tony.protocol.proto.TonyProtos.Checkpoints;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.Test;

/** What executors say of checkpoints, also where they say too much. */
public class CheckpointReportHandlerTest {
  private static final Instant NOW = Instant.parse("2026-11-24T03:00:00Z");
  private static final TaskId WORKER = new TaskId("worker", 1);
  private static final TaskKey KEY = new TaskKey(WORKER, 3, "container_7");
  private static final String SET = "1700000000000_0000000012_000003-000000001200";
  private static final String NEXT = "1700000000000_0000000012_000003-000000001300";

  private final List<Event> events = new ArrayList<>();
  private final CheckpointReportHandler reports =
      new CheckpointReportHandler(events::add, () -> NOW, new FourKeepers());
  private int attempt = 3;

  /** Each can have kept only {@link #SET} and {@link #NEXT}. */
  private final class FourKeepers implements StartCheckpoints {
    @Override
    public Optional<Checkpoints> prepareStart(StartTask start) {
      return Optional.empty();
    }

    @Override
    public int ownerCount() {
      return 4;
    }

    @Override
    public Optional<String> recordSaved(TaskId task, CheckpointName set, String name) {
      return List.of(SET, NEXT).contains(set.toString())
          ? Optional.of("hdfs://ours/" + Manifest.folderOf(task) + "/" + name)
          : Optional.empty();
    }

    @Override
    public OptionalInt attempt(TaskId task) {
      return task.index() < 4 ? OptionalInt.of(attempt) : OptionalInt.empty();
    }
  }

  private static CheckpointOutcome.Builder kept(String set) {
    return CheckpointOutcome.newBuilder().setSet(set).setPath("out/model.pt");
  }

  @Test
  public void shouldTellWhatIsKept() {
    CheckpointOutcome kept =
        kept(SET)
            .setStep(true)
            .setBytes(4096)
            .setTookMs(250)
            .setNamedMs(NOW.minusSeconds(3).toEpochMilli())
            .setUri("hdfs://c/.tony/x/worker-1/data/model.pt")
            .build();

    reports.handle(KEY, List.of(kept));

    assertEquals(
        List.of(
            new Event.CheckpointReported(
                NOW,
                new CheckpointFact.CheckpointSaved(
                    WORKER,
                    SET,
                    1200,
                    true,
                    4,
                    false,
                    4096,
                    250,
                    NOW.minusSeconds(3),
                    "out/model.pt",
                    "hdfs://ours/worker-1/model.pt",
                    null))),
        events);
  }

  private List<CheckpointFact.CheckpointSaved> told(CheckpointOutcome.Builder... reported) {
    events.clear();
    for (CheckpointOutcome.Builder report : reported) {
      reports.handle(KEY, List.of(report.build()));
    }
    return events.stream()
        .map(event -> (CheckpointFact.CheckpointSaved) ((Event.CheckpointReported) event).fact())
        .toList();
  }

  @Test
  public void shouldPassOverWhatNoStartOfTheJobCanHaveKept() {
    assertEquals(
        List.of(), told(kept("1700000000000_0000000013_000003-000000001200").setUri("/x/m")));
  }

  @Test
  public void shouldTakeOfAPlaceNoMoreThanAPlainName() {
    for (String place :
        List.of("file:///etc/passwd/..", "", "/x/", "/x/a:b", "/x/a\nb", "/x/" + "ü".repeat(128))) {
      assertEquals(place, "hdfs://ours/worker-1/", told(kept(SET).setUri(place)).get(0).uri());
    }
    assertEquals(
        "hdfs://ours/worker-1/passwd", told(kept(SET).setUri("file:///etc/passwd")).get(0).uri());
  }

  @Test
  public void shouldNotBelieveATimeThatCannotBe() {
    List<CheckpointFact.CheckpointSaved> told =
        told(
            kept(SET).setNamedMs(Long.MIN_VALUE),
            kept(SET).setNamedMs(Long.MAX_VALUE),
            kept(SET).setNamedMs(0));

    assertEquals(
        List.of(NOW.minus(Duration.ofDays(30)), NOW, NOW.minus(Duration.ofDays(30))),
        told.stream().map(CheckpointFact.CheckpointSaved::namedAt).toList());
  }

  @Test
  public void shouldTellSomeProblemsOfATaskAttemptAndThatThereAreMore() {
    CheckpointOutcome problem = kept("").setProblem("it is empty").build();
    for (int call = 0; call < 10; call++) {
      reports.handle(KEY, Collections.nCopies(60, problem));
    }

    List<String> told = problems();
    assertEquals(201, told.size());
    assertEquals("it is empty", told.get(199));
    assertEquals(CheckpointReportHandler.MORE_PROBLEMS, told.get(200));
    reports.handle(new TaskKey(WORKER, 4, "container_7"), List.of(problem));
    assertEquals("an attempt that is not known", 201, problems().size());
    reports.handle(new TaskKey(new TaskId("worker", 2), 3, "container_8"), List.of(problem));
    assertEquals("another task", 202, problems().size());
    attempt = 4;
    reports.handle(KEY, List.of(problem));
    assertEquals("the next attempt", 203, problems().size());
    assertEquals("it is empty", problems().get(202));
  }

  @Test
  public void shouldPassOverProblemsOfATaskThatKeepsNone() {
    CheckpointOutcome problem = kept("").setProblem("it is empty").build();
    reports.handle(new TaskKey(new TaskId("worker", 4), 3, "container_8"), List.of(problem));
    assertEquals(List.of(), events);
  }

  /** As after an hour without a NameNode. */
  @Test
  public void shouldTellProblemsAgainAfterANewerCheckpoint() {
    List<CheckpointOutcome> problems =
        Collections.nCopies(60, kept("").setProblem("no answer").build());
    for (String set : List.of(SET, NEXT, NEXT)) {
      for (int call = 0; call < 5; call++) {
        reports.handle(KEY, problems);
      }
      reports.handle(KEY, List.of(kept(set).build()));
    }
    reports.handle(KEY, problems);

    assertEquals("the same once more makes no room", 3 * 201, problems().size());
  }

  private List<String> problems() {
    return events.stream()
        .map(event -> ((Event.CheckpointReported) event).fact())
        .filter(CheckpointFact.CheckpointNotSaved.class::isInstance)
        .map(fact -> ((CheckpointFact.CheckpointNotSaved) fact).problem())
        .toList();
  }

  @Test
  public void shouldTellWhatIsNotKept() {
    reports.handle(KEY, List.of(kept("").setProblem("it is no file: name one").build()));

    assertEquals(
        List.of(
            new Event.CheckpointReported(
                NOW,
                new CheckpointFact.CheckpointNotSaved(
                    WORKER, "out/model.pt", "it is no file: name one"))),
        events);
  }

  @Test
  public void shouldNotBelieveMuchOfAStranger() {
    String long1 = "x".repeat(1_000_000);
    reports.handle(KEY, List.of(kept("../../elsewhere").build()));
    assertEquals("no set", 0, events.size());

    CheckpointOutcome problem = kept(SET).setPath(long1).setProblem(long1).build();
    reports.handle(KEY, Collections.nCopies(10_000, problem));

    assertEquals(64, events.size());
    CheckpointFact.CheckpointNotSaved told =
        (CheckpointFact.CheckpointNotSaved) ((Event.CheckpointReported) events.get(0)).fact();
    assertEquals(500, told.path().length());
    assertEquals(ReportLimits.MAX_MESSAGE_CHARS, told.problem().length());
  }
}
