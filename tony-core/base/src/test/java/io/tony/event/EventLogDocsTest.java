package io.tony.event;

import static org.junit.Assert.assertEquals;

import io.tony.Repository;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** {@code docs/event-log.md} names every event and every detail, and no other. */
public class EventLogDocsTest {
  private static final Path PAGE = Repository.path("docs/event-log.md");
  private static final Pattern ROW = Pattern.compile("^\\| (`[A-Z_]+`)? *\\| (`[^`]+`|–) ");

  @Test
  public void shouldDocumentEveryDetailOfEveryEvent() throws IOException {
    Map<String, Set<String>> written = new LinkedHashMap<>();
    for (Fact fact : Samples.ALL) {
      JobEvent event = fact.toEvent(Instant.EPOCH, 0);
      Set<String> names = new LinkedHashSet<>();
      for (String name : event.details().keySet()) {
        names.add(
            name.replaceFirst("^(output|option)\\..*", "$1.KEY")
                .replaceFirst("^lost\\..*", "lost.KIND"));
      }
      if (fact instanceof JobFact.UsageReport) {
        names = Set.of("TASK");
      }
      written
          .computeIfAbsent(event.type().name(), type -> new LinkedHashSet<>())
          .addAll(names.isEmpty() ? Set.of("–") : names);
    }
    assertEquals(sorted(written), sorted(documented()));
  }

  private static Map<String, Set<String>> documented() throws IOException {
    Map<String, Set<String>> documented = new LinkedHashMap<>();
    String type = "";
    for (String line : Files.readAllLines(PAGE, StandardCharsets.UTF_8)) {
      Matcher row = ROW.matcher(line);
      if (row.find()) {
        type = row.group(1) == null ? type : row.group(1).replace("`", "");
        documented
            .computeIfAbsent(type, name -> new LinkedHashSet<>())
            .add(row.group(2).replace("`", ""));
      }
    }
    return documented;
  }

  private static List<String> sorted(Map<String, Set<String>> rows) {
    List<String> lines = new ArrayList<>();
    rows.forEach((type, names) -> names.forEach(name -> lines.add(type + " " + name)));
    lines.sort(null);
    return lines;
  }
}
