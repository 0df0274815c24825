package io.tony.am.loop;

import static io.tony.model.SampleJob.job;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.am.http.NoFreePortException;
import io.tony.am.machine.Event;
import io.tony.am.machine.JobState;
import io.tony.am.machine.MachinePorts;
import io.tony.event.JobFact;
import io.tony.eventlog.Journal;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.PortRange;
import java.net.BindException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class DefectHandlerTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  @Rule public final Timeout limit = Timeout.seconds(60);

  private final List<JobEvent> recorded = new ArrayList<>();

  /** A loop that meets one with its first event. */
  private JobResult run(boolean leftToTheNext) throws InterruptedException {
    return run(new IllegalArgumentException("no such file"), leftToTheNext);
  }

  private JobResult run(Throwable defect, boolean leftToTheNext) throws InterruptedException {
    AmLoop loop =
        new AmLoop(JobState.initial(job().spec(), 7), InstantSource.fixed(NOW), System::nanoTime);
    Journal history =
        new Journal() {
          @Override
          public void record(List<JobEvent> decision) {
            recorded.addAll(decision);
          }

          @Override
          public void runWhenDurable(Runnable step) {
            // Nothing is done.
          }
        };
    loop.reportDefect(defect);
    return DefectHandler.run(
        loop,
        new Event.AmReady(NOW, 2, "host", Set.of()),
        new MachinePorts(null, null, null, null, () -> {}, whole -> {}),
        history,
        () -> leftToTheNext,
        "application_1_0001");
  }

  @Test
  public void shouldEndLikeALostMasterWhenAnotherOneFollows() {
    assertThrows(IllegalStateException.class, () -> run(true));

    assertTrue(recorded.stream().noneMatch(event -> event.type() == JobEvent.Type.JOB_FINISHED));
  }

  @Test
  public void shouldEndTheJobWhenNoOtherMasterFollows() throws InterruptedException {
    JobResult result = run(false);

    assertEquals(JobResult.Status.FAILED, result.status());
    assertEquals(FailureKind.AM_LOST, result.kind());
    assertEquals(
        "a defect of TonY: java.lang.IllegalStateException: what was decided could not be done:"
            + " java.lang.IllegalArgumentException: no such file. Please report it with am.log and"
            + " the event log of application_1_0001 (docs/failures.md, \"A defect of TonY\")",
        result.message());
    JobEvent last = recorded.get(recorded.size() - 1);
    assertEquals(new JobFact.Finished(result), JobFact.Finished.of(last));
    assertEquals(JobEvent.Type.JOB_STOPPING, recorded.get(recorded.size() - 2).type());
  }

  @Test
  public void shouldNotCallAPortThatIsMissingADefect() throws InterruptedException {
    NoFreePortException none =
        new NoFreePortException(
            new PortRange(30_000, 30_001), "node-1", "its server", new BindException("in use"));

    JobResult result = run(none, false);

    assertEquals(FailureKind.AM_LOST, result.kind());
    assertEquals(none.getMessage(), result.message());
    assertTrue(result.message().contains("tony.am.port-range=30000-30001"));
  }

  @Test
  public void shouldCountMastersThatEndedBeforeTheyRecorded() {
    assertFalse("the first of two", DefectHandler.hasSuccessor(List.of(), 2, NOW, NOW, HOUR, 2));
    assertTrue("the first of three", DefectHandler.hasSuccessor(List.of(), 2, NOW, NOW, HOUR, 3));
  }

  @Test
  public void shouldBeLeftToTheNextAsLongAsFewWereLostLately() {
    assertTrue("the first of two", isLeft(2, 10));
    assertFalse("the only one", isLeft(1, 10));
    assertFalse("the second of two", isLeft(2, 20, 10));
    assertTrue("the second of three", isLeft(3, 20, 10));
    assertTrue("the first was lost long ago", isLeft(2, 300, 90));
    assertFalse("of four, two were lost lately", isLeft(3, 300, 40, 20, 10));
  }

  /** {@code minutesAgo} the ApplicationMasters started, this one last. */
  private static boolean isLeft(int most, int... minutesAgo) {
    List<JobEvent> earlier = new ArrayList<>();
    for (int i = 0; i < minutesAgo.length - 1; i++) {
      Instant start = NOW.minus(Duration.ofMinutes(minutesAgo[i]));
      earlier.add(new JobFact.MasterStarted(i + 1, "host", 1, null).toEvent(start, 0));
    }
    Instant own = NOW.minus(Duration.ofMinutes(minutesAgo[minutesAgo.length - 1]));
    return DefectHandler.hasSuccessor(earlier, minutesAgo.length, own, NOW, HOUR, most);
  }
}
