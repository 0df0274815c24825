package io.tony.fact;

import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The page's script reads events and details that facts write, and no others. */
public class ViewerContractTest {
  private static final Path SCRIPT =
      Path.of("../azkaban-viewer-tony/src/main/resources/io/tony/azkaban/viewer/job.js");
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
      written.put(fact.type().name(), fact.at(Instant.EPOCH, 0).details().keySet());
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
}
