package io.tony.client.output;

import static io.tony.client.follow.SampleEvents.event;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.client.follow.EventReplay;
import io.tony.client.follow.SampleEvents;
import io.tony.model.JobEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.Test;

/** How the events of a job come into its log. */
public class EventLinesTest {
  private static final Duration MOST = Duration.ofSeconds(5);

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Instant now = SampleEvents.START;
  private final JobLog log = new JobLog(bytes, () -> now);

  private List<String> lines() {
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  private void pass(long millis) {
    now = now.plusMillis(millis);
  }

  private static JobEvent started(int index) {
    return event(index, JobEvent.Type.TASK_STARTED, "worker:" + index, "pid", "1");
  }

  private static JobEvent progress(long second) {
    return event(
        (int) second, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", second + "/1000 loss 0.31");
  }

  @Test
  public void shouldTellTheFirstAtOnceAndTheOthersTogetherASecondLater() {
    log.recordEvent(started(0));
    assertEquals("it was due", MOST, log.flushDueEvents(MOST));
    log.recordEvent(started(1));
    pass(400);
    log.recordEvent(started(2));

    assertEquals(Duration.ofMillis(600), log.flushDueEvents(MOST));
    assertEquals(1, lines().size());
    pass(600);
    assertEquals(MOST, log.flushDueEvents(MOST));

    assertEquals(2, lines().size());
    assertEquals(List.of(started(1), started(2)), EventReplay.in(lines().get(1)));
  }

  @Test
  public void shouldTellNothingBeforeSomebodyAsks() {
    log.recordEvent(started(0));
    pass(60_000);
    log.println("worker:0 runs");

    log.flushEvents();
    log.flushEvents();

    assertEquals(2, lines().size());
    assertEquals("for people first", "worker:0 runs", lines().get(0));
  }

  @Test
  public void shouldTellWhatComesAgainTheMoreRarelyTheLongerTheJobRuns() {
    List<Integer> perHour = new ArrayList<>();
    for (int hour = 0; hour < 5; hour++) {
      int before = lines().size();
      for (int second = 0; second < 3600; second += 2) {
        log.recordEvent(progress(hour * 3600L + second));
        log.flushDueEvents(MOST);
        pass(2_000);
      }
      perHour.add(lines().size() - before);
    }

    assertTrue(perHour.toString(), perHour.get(0) < 500 && perHour.get(1) < 100);
    assertTrue(perHour.toString(), perHour.get(4) < 30);
  }

  /** A page that shows a failure minutes late would not be looked at twice. */
  @Test
  public void shouldTellWhatHappensOnceWithinASecondHoweverOldTheJobIs() {
    for (int minute = 0; minute < 24 * 60; minute++) {
      log.recordEvent(progress(minute * 60L));
      log.flushDueEvents(MOST);
      pass(60_000);
    }
    log.recordEvent(progress(90_000));
    log.flushEvents();
    int before = lines().size();
    log.recordEvent(progress(90_002));
    assertEquals("it waits for minutes", MOST, log.flushDueEvents(MOST));
    JobEvent failed = event(90_003, JobEvent.Type.TASK_FAILED, "worker:0", "message", "m");
    log.recordEvent(failed);

    assertEquals(Duration.ofSeconds(1), log.flushDueEvents(MOST));
    pass(1_000);
    log.flushDueEvents(MOST);

    assertEquals(before + 1, lines().size());
    assertEquals(List.of(progress(90_002), failed), EventReplay.in(lines().get(before)));
  }

  @Test
  public void shouldTellOnlyTheLastProgressOfALine() {
    log.recordEvent(progress(0));
    log.flushEvents();
    log.recordEvent(progress(1));
    log.recordEvent(event(1, JobEvent.Type.METRICS, "", "worker:0", "812 0.97"));
    log.recordEvent(progress(1));
    log.recordEvent(progress(2));
    log.recordEvent(progress(3));

    log.flushEvents();

    assertEquals(
        List.of("1/1000 loss 0.31", "", "2/1000 loss 0.31", "3/1000 loss 0.31"),
        EventReplay.in(lines().get(1)).stream()
            .map(event -> event.details().getOrDefault("text", ""))
            .toList());
  }

  /** A client that finds a job of some days: the page draws its pace from what it was. */
  @Test
  public void shouldTellAllThatHappenedBeforeInTheOrderInWhichItDid() {
    for (int second = 0; second < 100_000; second += 2) {
      log.recordEvent(progress(second));
    }
    log.recordEvent(started(100_000));
    log.flushEvents();

    List<JobEvent> events = EventReplay.of(lines());
    int told = events.size();
    assertTrue(told + " events", told > 500 && told < 1_500);
    assertTrue(
        "in order",
        events.equals(events.stream().sorted(Comparator.comparing(JobEvent::time)).toList()));
    assertEquals(progress(99_998), events.get(told - 2));
  }

  @Test
  public void shouldCutNoEventToKeepALineShort() {
    List<JobEvent> events =
        IntStream.range(0, 1_000)
            .mapToObj(EventLinesTest::started)
            .collect(Collectors.toCollection(ArrayList::new));
    String stderr = "\u202e\n\"" + "x".repeat(2 * PlainText.MAX_LINE_CHARS);
    JobEvent failed = event(7, JobEvent.Type.TASK_FAILED, "worker:7", "stderr", stderr);
    events.add(500, failed);

    events.forEach(log::recordEvent);
    log.flushEvents();

    assertEquals(events, EventReplay.of(lines()));
    List<String> tooLong =
        lines().stream().filter(line -> line.length() > PlainText.MAX_LINE_CHARS).toList();
    assertEquals(1, tooLong.size());
    assertEquals(List.of(failed), EventReplay.in(tooLong.get(0)));
    assertTrue(lines().size() + " lines", lines().size() < 20);
  }

  /** Azkaban's log tab makes a link of all that follows, up to the next blank. */
  @Test
  public void shouldWriteNoAddressThatAPageMakesALinkOf() {
    String address = "http://rm:8088/proxy/application_1_0001/";
    String said = "see \\://x, C:\\a//b and \\\"" + address + "\", https://host";
    List<JobEvent> events =
        List.of(
            event(0, JobEvent.Type.JOB_SUBMITTED, "", "trackingUrl", address),
            event(1, JobEvent.Type.TASK_PROGRESS, "worker:0", "text", said));

    events.forEach(log::recordEvent);
    log.flushEvents();

    String text = String.join("\n", lines());
    assertFalse(text, Pattern.compile("https?://").matcher(text).find());
    assertEquals(events, EventReplay.of(lines()));
  }

  @Test
  public void shouldGoOnTellingWhenTheClockIsSetBack() {
    log.recordEvent(started(0));
    log.flushDueEvents(MOST);
    pass(-3_600_000);
    log.recordEvent(started(1));

    log.flushDueEvents(MOST);

    assertEquals(2, lines().size());
  }
}
