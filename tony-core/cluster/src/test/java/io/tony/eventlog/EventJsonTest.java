package io.tony.eventlog;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class EventJsonTest {
  private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");

  private static JobEvent event(Map<String, String> details) {
    return new JobEvent(TIME, JobEvent.Type.TASK_FAILED, 3, new TaskId("worker", 2), details);
  }

  @Test
  public void shouldWriteOneLineThatPeopleCanRead() {
    assertEquals(
        "{\"v\":1,\"time\":\"2026-01-02T03:04:05.678Z\",\"type\":\"TASK_FAILED\",\"session\":3,"
            + "\"task\":\"worker:2\",\"details\":{\"exitCode\":\"7\"}}",
        EventJson.write(event(Map.of("exitCode", "7"))));
  }

  @Test
  public void shouldReadWhatItWrites() throws IOException {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("stderr", "line 1\nline 2\r\n\ttab \"quoted\" back\\slash \u0000\u001b[0m");
    details.put("größe", "Zürich 東京 🚀 \u2028 \u2029");
    details.put("empty", "");
    JobEvent event = event(details);

    String line = EventJson.write(event);

    assertFalse(line, line.contains("\n") || line.contains("\r"));
    JobEvent read = EventJson.read(line);
    assertEquals(event, read);
    assertEquals(List.copyOf(details.keySet()), List.copyOf(read.details().keySet()));
  }

  @Test
  public void shouldSayWhetherTheDecisionGoesOnInTheNextLine() throws IOException {
    JobEvent event = event(Map.of("more\":true", "\"more\":true, \"n\":7"));

    String line = EventJson.write(event, true);

    assertTrue(EventJson.hasMore(line));
    assertFalse(EventJson.hasMore(EventJson.write(event)));
    assertEquals(event, EventJson.read(line));
  }

  @Test
  public void shouldTellTheNumberOfALineWhereItHasOne() throws IOException {
    JobEvent event = event(Map.of("n", "7"));

    String line = EventJson.withNumber(EventJson.write(event, true), 12_345_678_901L);

    assertEquals(12_345_678_901L, EventJson.numberOf(line));
    assertEquals(-1, EventJson.numberOf(EventJson.write(event)));
    assertTrue(EventJson.hasMore(line));
    assertEquals(event, EventJson.read(line));
  }

  @Test
  public void shouldLeaveTheTaskOutOfAFactAboutTheJob() throws IOException {
    JobEvent event = new JobEvent(TIME, JobEvent.Type.GANG_RUNNING, 0, null, Map.of());

    String line = EventJson.write(event);

    assertFalse(line, line.contains("task"));
    assertNull(EventJson.read(line).task());
  }

  @Test
  public void shouldPassOverFieldsThatALaterVersionAdds() throws IOException {
    JobEvent event = event(Map.of());
    String later = EventJson.write(event).replace("{\"v\":1,", "{\"v\":1,\"new\":[1,{}],");

    assertEquals(event, EventJson.read(later));
  }

  @Test
  public void shouldReadAnEventOfATypeThatALaterVersionAdds() throws IOException {
    JobEvent event = event(Map.of("reason", "new"));
    String later = EventJson.write(event).replace("TASK_FAILED", "TASK_UNHEARD_OF");

    assertEquals(
        new JobEvent(
            event.time(), JobEvent.Type.UNKNOWN, event.session(), event.task(), event.details()),
        EventJson.read(later));
  }

  @Test
  public void shouldPassOverAnEventOfALaterVersion() throws IOException {
    for (String later :
        List.of(
            EventJson.write(event(Map.of())).replace("\"v\":1", "\"v\":2"),
            "{\"v\":3,\"at\":\"now\"}")) {
      assertEquals(JobEvent.Type.UNKNOWN, EventJson.read(later).type());
    }
  }

  @Test
  public void shouldRefuseWhatIsNotAnEvent() {
    String good = EventJson.write(event(Map.of()));

    for (String bad :
        List.of(
            "",
            "text",
            "[]",
            "{}",
            good.replace("\"v\":1", "\"v\":0"),
            good.replace("TASK_FAILED", ""),
            good.replace("2026-", "yesterday "),
            good.replace("worker:2", ""),
            good.replace("\"worker:2\"", "{}"),
            good + "]},{\"more\":[",
            good.replace("{\"v\":1,", "{\"v\":1,\"new\":" + "[".repeat(17) + "]".repeat(17) + ","),
            good.substring(0, good.length() - 5))) {
      assertThrows(bad, IOException.class, () -> EventJson.read(bad));
    }
  }

  @Test
  public void shouldReadWhatIsNoTextForNothingAndNullForLeftOut() throws IOException {
    String line =
        EventJson.write(event(Map.of()))
            .replace("\"task\":\"worker:2\"", "\"task\":null")
            .replace("{}", "{\"a\":[[1],{\"b\":2}],\"c\":null,\"d\":7,\"e\":true}");

    JobEvent read = EventJson.read(line);

    assertNull(read.task());
    assertEquals(Map.of("a", "", "d", "7", "e", "true"), read.details());
  }

  @Test
  public void shouldPassOverWhatIsNestedUpToALimit() throws IOException {
    JobEvent event = event(Map.of());
    String later =
        EventJson.write(event)
            .replace("{\"v\":1,", "{\"v\":1,\"new\":" + "[".repeat(16) + "]".repeat(16) + ",");

    assertEquals(event, EventJson.read(later));
  }

  @Test
  public void shouldTellNoNumberOfALineThatHasNoneOrIsNoEvent() throws IOException {
    JobEvent event = event(Map.of("n", "5"));
    String plain = EventJson.write(event);

    String numbered = EventJson.withNumber(plain, 12);

    assertEquals(12, EventJson.numberOf(numbered));
    assertEquals(event, EventJson.read(numbered));
    assertEquals("in the details", -1, EventJson.numberOf(plain));
    assertEquals("no number", -1, EventJson.numberOf(plain.replace("\"v\":1", "\"n\":\"x\"")));
    assertEquals("no event", -1, EventJson.numberOf("{\"n\":12"));
    assertFalse("no event", EventJson.hasMore("{\"more\":true"));
    assertThrows(IllegalArgumentException.class, () -> EventJson.withNumber("{}", 13));
  }

  /** A log may be anybody's work, and a message is for a person. */
  @Test
  public void shouldShowTheBeginningOfWhatIsNotAnEvent() {
    String shown = "x".repeat(1_000);

    assertEquals("not an event: " + shown, refusal(shown));
    assertEquals("not an event: " + shown + "…", refusal(shown + "y".repeat(5_000)));
  }

  private static String refusal(String line) {
    return assertThrows(IOException.class, () -> EventJson.read(line)).getMessage();
  }
}
