package io.tony.event;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.Repository;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The page's script reads events and details that facts write, and no others. */
public class ViewerContractTest {
  private static final Path SCRIPT =
      Repository.path("tony-page/src/main/resources/io/tony/page/job.js");
  private static final Path RECORDED =
      Repository.path("azkaban-viewer-tony/src/test/resources/io/tony/azkaban/viewer");

  /** Before each event in a job's log. */
  private static final String EVENT = "tony-event ";

  private static final Pattern HANDLER = Pattern.compile("^  ([A-Z_]+)\\(job.*\\{$");
  private static final Pattern DETAIL = Pattern.compile("detail\\('(\\w+)'\\)");

  /** What functions that serve several handlers read, under the names of those that call them. */
  private static final Map<String, Set<String>> SHARED =
      Map.of(
          "TASK_RESTARTED", Set.of("charged", "left"), "GANG_RESTARTED", Set.of("charged", "left"));

  @Test
  public void shouldReadWhatFactsWrite() throws IOException {
    Map<String, Set<String>> written = new HashMap<>();
    for (Fact fact : Samples.ALL) {
      written
          .computeIfAbsent(fact.type().name(), name -> new HashSet<>())
          .addAll(fact.toEvent(Instant.EPOCH, 0).details().keySet());
    }
    SHARED.forEach((type, names) -> assertTrue(type, written.get(type).containsAll(names)));
    String type = "";
    int read = 0;
    for (String line : Files.readAllLines(SCRIPT, StandardCharsets.UTF_8)) {
      Matcher handler = HANDLER.matcher(line);
      if (handler.matches()) {
        type = handler.group(1);
        assertTrue("no fact is written as " + type, written.containsKey(type));
      }
      Matcher detail = DETAIL.matcher(line);
      while (!type.isEmpty() && detail.find()) {
        read++;
        assertTrue(
            type + " has no " + detail.group(1), written.get(type).contains(detail.group(1)));
      }
    }
    assertTrue("details that are read: " + read, read > 20);
  }

  /** The recorded logs that the page's tests show: today's program reads and writes them alike. */
  @Test
  public void shouldShowInItsTestsWhatIsWrittenToday() throws IOException {
    for (String name : List.of("quickstart-train.log", "failing-train.log")) {
      int events = 0;
      for (String line : Files.readAllLines(RECORDED.resolve(name), StandardCharsets.UTF_8)) {
        int json = line.indexOf(EVENT);
        if (json >= 0) {
          events++;
          JobEvent event = EventJson.read(line.substring(json + EVENT.length()));
          Fact fact = Fact.of(event).orElseThrow(() -> new AssertionError(line));
          assertEquals(
              "record it anew: bin/quickstart", event, fact.toEvent(event.time(), event.session()));
        }
      }
      assertTrue(name + " has " + events + " events", events > 10);
    }
  }
}
