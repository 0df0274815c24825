package io.tony.timeline;

import static io.tony.timeline.WrittenLog.START;
import static io.tony.timeline.WrittenLog.second;
import static org.junit.Assert.assertEquals;

import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.ResizeFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact.Goodput;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import io.tony.timeline.draw.Heading;
import io.tony.timeline.draw.TimelineText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Where the time went of a gang that goes on with fewer tasks for a while. */
public class ElasticTimelineTest {
  private static final String MORE = "the queue has room for more tasks, and step 7 is kept";

  private static ResizeFact.Resized resized(
      int from, int instances, int attempt, Map<Integer, Integer> moved, String message) {
    return new ResizeFact.Resized("worker", from, instances, attempt, moved, message);
  }

  /** Of four workers two get containers, and start at second 60 without the others. */
  private static WrittenLog fewer() {
    return new WrittenLog()
        .at(0)
        .fact(
            new JobFact.MasterStarted(
                1, "master-1", 4, null, new JobFact.LaunchTimes(second(-3), second(-1))))
        .requested(4, "worker")
        .at(1)
        .allocated("worker:0", "node-0")
        .at(2)
        .allocated("worker:3", "node-3")
        .at(5)
        .registered("worker:0")
        .registered("worker:3")
        .at(60)
        .fact(resized(4, 2, 1, Map.of(3, 1), "YARN did not give more"))
        .at(61)
        .registered("worker:1")
        .running()
        .at(62)
        .started("worker:0")
        .started("worker:1");
  }

  /** It trains until second 100, and starts again with four. */
  private static WrittenLog more() {
    return fewer()
        .at(80)
        .progress("worker:1", "50 %")
        .at(90)
        .fact(new ResizeFact.ScaleUpPlanned("worker", 4))
        .at(100)
        .fact(resized(2, 4, 2, Map.of(), MORE))
        .gangRestarted("worker:0", 2, FailureKind.RESIZED, MORE)
        .requested(2, "worker")
        .at(105)
        .allocated("worker:2", "node-2")
        .at(110)
        .allocated("worker:3", "node-4")
        .at(115)
        .registered("worker:0")
        .registered("worker:1")
        .registered("worker:2")
        .registered("worker:3")
        .running()
        .started("worker:0")
        .started("worker:1")
        .started("worker:2")
        .started("worker:3");
  }

  /** At second 150 two containers are lost, and it goes on with two. */
  private static WrittenLog fewerAgain() {
    return more()
        .at(150)
        .failed("worker:0", "its node is lost")
        .failed("worker:1", "its node is lost")
        .fact(
            new GangFact.Restarted(
                TaskId.parse("worker:0"),
                FailureKind.LOST,
                "worker:0 is lost",
                1,
                3,
                RetryBudgetOwner.NOBODY,
                2,
                false,
                "node-0",
                List.of()))
        .fact(resized(4, 2, 4, Map.of(2, 0, 3, 1), "worker:0 is lost"))
        .at(151)
        .registered("worker:0")
        .registered("worker:1")
        .running()
        .started("worker:0")
        .started("worker:1")
        .at(200)
        .succeeded("worker:0")
        .succeeded("worker:1")
        .stopping()
        .finished();
  }

  private static Timeline of(WrittenLog log) {
    Timeline timeline = Timeline.of(log.events(), YarnTimes.UNKNOWN);
    TimelineTest.assertWhole(timeline);
    return timeline;
  }

  private static List<String> phases(Timeline timeline) {
    return timeline.phases().stream()
        .map(span -> span.stage() + " " + seconds(span.from()) + ".." + seconds(span.to()))
        .toList();
  }

  private static long seconds(Instant at) {
    return Duration.between(START, at).toSeconds();
  }

  private static List<String> starts(Timeline timeline, String task) {
    return timeline.attempts().stream()
        .filter(attempt -> attempt.task().equals(TaskId.parse(task)))
        .map(
            attempt ->
                attempt.number()
                    + " on "
                    + attempt.node()
                    + " "
                    + attempt.stepSpans(timeline.end()).stream()
                        .map(part -> part.step() + " " + seconds(part.from()))
                        .toList()
                    + " "
                    + attempt.end())
        .toList();
  }

  @Test
  public void shouldWaitNoLongerForWhatTheGangDoesWithout() {
    Timeline timeline = of(fewer());

    assertEquals(
        List.of("ALLOCATING 0..60", "LAUNCHING 60..61", "STARTING 61..62"),
        phases(timeline).subList(2, 5));
    assertEquals(2, timeline.tasks());
    assertEquals(
        List.of("0 on node-3 [WAITING 0, LAUNCHING 2, GATHERING 5] RESTARTED"),
        starts(timeline, "worker:3"));
    assertEquals(
        List.of("1 on node-3 [WAITING 0, LAUNCHING 60, GATHERING 61, RUNNING 62] null"),
        starts(timeline, "worker:1"));
    assertEquals(List.of(), starts(timeline, "worker:2"));
    assertEquals(
        List.of(
            new Mark(second(60), Mark.Kind.RESIZE, "2 of 4 worker go on: YARN did not give more")),
        timeline.marks());
  }

  @Test
  public void shouldShowTheTasksThatAreNew() {
    Timeline timeline = of(more());

    List<String> phases = phases(timeline);
    assertEquals(
        List.of("ALLOCATING 100..110", "LAUNCHING 110..115"),
        phases.subList(phases.size() - 2, phases.size()));
    assertEquals(4, timeline.tasks());
    assertEquals(
        List.of("2 on node-2 [WAITING 100, LAUNCHING 105, GATHERING 115, RUNNING 115] null"),
        starts(timeline, "worker:2"));
    assertEquals(
        "2 on node-4 [WAITING 100, LAUNCHING 110, GATHERING 115, RUNNING 115] null",
        starts(timeline, "worker:3").get(1));
    assertEquals(
        new Mark(second(100), Mark.Kind.RESIZE, "gang restart 1, from 2 to 4 worker: " + MORE),
        timeline.marks().get(1));
    assertEquals("it failed of nothing", 2, timeline.marks().size());
  }

  @Test
  public void shouldShowATaskThatJoins() {
    Timeline timeline =
        of(
            fewer()
                .at(80)
                .fact(ResizeFact.Resized.liveResize("worker", 2, 3, 2, "there is room"))
                .allocated("worker:2", "node-2")
                .at(85)
                .registered("worker:2")
                .at(86)
                .started("worker:2"));

    assertEquals("the others run on", "RUNNING 62..86", phases(timeline).get(5));
    assertEquals(
        List.of("2 on node-2 [WAITING 80, LAUNCHING 80, GATHERING 85, RUNNING 86] null"),
        starts(timeline, "worker:2"));
    assertEquals(
        new Mark(second(80), Mark.Kind.RESIZE, "from 2 to 3 worker: there is room"),
        timeline.marks().get(1));
  }

  /** The wait for the lost containers took no time, and is none. */
  @Test
  public void shouldGoOnAtOnceWithTheContainersThatStay() {
    Timeline timeline = of(fewerAgain());

    assertEquals(
        List.of("LAUNCHING 150..151", "RUNNING 151..200"),
        phases(timeline).stream()
            .filter(phase -> phase.contains("..151") || phase.contains(" 151"))
            .toList());
    assertEquals(
        "4 on node-2 [LAUNCHING 150, GATHERING 151, RUNNING 151] SUCCEEDED",
        starts(timeline, "worker:0").get(2));
    assertEquals(
        List.of(
            "2 on node-2 [WAITING 100, LAUNCHING 105, GATHERING 115, RUNNING 115] RESTARTED",
            "3 on node-2 [LAUNCHING 150] RESTARTED"),
        starts(timeline, "worker:2"));
    assertEquals(2, timeline.tasks());
  }

  @Test
  public void shouldMakeSenseOfEveryPartOfALog() {
    List<JobEvent> all = fewerAgain().events();
    for (int from = 0; from < all.size(); from++) {
      for (int to = from + 1; to <= all.size(); to++) {
        TimelineTest.assertWhole(Timeline.of(all.subList(from, to), YarnTimes.UNKNOWN));
      }
    }
  }

  @Test
  public void shouldBeDrawn() {
    String text = String.join("\n", TimelineText.of(of(more()), new Heading("job", "", "")));

    assertEquals(text, -1, text.indexOf("never had a container"));
    assertEquals(text, text.indexOf("from 2 to 4"), text.lastIndexOf("from 2 to 4"));
  }

  // ---- Goodput ----

  private static Goodput goodput(WrittenLog log) {
    GoodputReducer fold = new GoodputReducer();
    log.events().forEach(fold::add);
    return fold.now();
  }

  /** The programs told their progress: the new run begins where the old one was after 9 s. */
  @Test
  public void shouldLoseWhatWasTrainedAfterTheCheckpointThatAGangGrowsFrom() {
    Goodput goodput = goodput(more().at(120).progress("worker:1", "25 %"));

    assertEquals(Map.of(FailureKind.RESIZED, 38_000L - 9_000 + 5_000), goodput.lostMs());
    assertEquals(1, goodput.restartCount());
  }

  @Test
  public void shouldCountTheWaitForWhatTheGangDoesWithoutAsQueue() {
    assertEquals(63_000, goodput(fewer()).queuedMs());
  }

  @Test
  public void shouldHearTheProgressFromAnotherWhenItsTellerIsGone() {
    GoodputReducer fold = new GoodputReducer();
    WrittenLog log =
        more().at(120).progress("worker:3", "90 %"); // worker:1 was the first that told any
    log.events().forEach(fold::add);
    assertEquals(TaskId.parse("worker:1"), fold.progressReporter());

    fold.add(resized(4, 1, 4, Map.of(), "").toEvent(second(150), 1));
    fold.add(new TaskFact.Progressed(TaskId.parse("worker:0"), "60 %").toEvent(second(160), 1));

    assertEquals(TaskId.parse("worker:0"), fold.progressReporter());
  }
}
