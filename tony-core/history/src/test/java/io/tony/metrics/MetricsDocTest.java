package io.tony.metrics;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tony.Repository;
import io.tony.history.web.HistoryMetric;
import io.tony.metrics.job.JobMetric;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Test;

/** The page of metrics lists each, and the samples of rules and of a dashboard ask for no other. */
public class MetricsDocTest {
  private static final Path ROOT = Repository.path("");
  private static final Path MONITORING = ROOT.resolve("monitoring");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(tony_\\w+)(?:\\{([a-z, ]+)})?` \\| (\\w+) \\| (.+) \\|$");
  private static final Pattern NAME = Pattern.compile("\\btony_[a-z_]+");

  private static List<Metric> metrics() {
    return Stream.concat(
            Arrays.stream(JobMetric.values()).map(JobMetric::metric),
            Arrays.stream(HistoryMetric.values()).map(HistoryMetric::metric))
        .toList();
  }

  private static Set<String> names() {
    return metrics().stream().map(Metric::name).collect(Collectors.toCollection(TreeSet::new));
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  @Test
  public void shouldListEachMetricWithItsLabelsAndItsKind() throws IOException {
    List<String> listed = new ArrayList<>();
    Matcher rows = ROW.matcher(text(ROOT.resolve("docs/prometheus.md")));
    while (rows.find()) {
      String labels = rows.group(2) == null ? "" : rows.group(2);
      listed.add(rows.group(1) + " [" + labels + "] " + rows.group(3));
    }
    assertEquals(
        metrics().stream()
            .map(one -> one.name() + " " + one.labels() + " " + one.kind().typeName())
            .toList(),
        listed);
  }

  @Test
  public void shouldGiveEachNameToOneMetric() {
    assertEquals(metrics().size(), names().size());
  }

  @Test
  public void shouldAskForMetricsThatThereAre() throws IOException {
    for (String file : List.of("alerts.yml", "grafana-dashboard.json")) {
      Set<String> asked = new TreeSet<>();
      Matcher found = NAME.matcher(text(MONITORING.resolve(file)));
      while (found.find()) {
        asked.add(found.group());
      }
      assertFalse(file + " asks for none", asked.isEmpty());
      asked.removeAll(names());
      assertEquals(file, Set.of(), asked);
    }
  }

  @Test
  public void shouldHaveADashboardThatGrafanaReads() throws IOException {
    JsonNode dashboard =
        new ObjectMapper().readTree(text(MONITORING.resolve("grafana-dashboard.json")));
    List<Integer> ids = new ArrayList<>();
    for (JsonNode panel : dashboard.get("panels")) {
      ids.add(panel.get("id").asInt());
      assertTrue(panel + " has a place", panel.get("gridPos").get("w").asInt() <= 24);
      for (JsonNode target : panel.path("targets")) {
        String query = target.get("expr").asText();
        assertTrue(query, query.contains("tony_"));
        assertEquals("${datasource}", target.get("datasource").get("uid").asText());
      }
    }
    assertEquals("each panel has its own id", ids.size(), Set.copyOf(ids).size());
    assertEquals("its uid stays", "tony-for-azkaban", dashboard.get("uid").asText());
  }
}
