package io.tony.history;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import io.tony.event.JobDescription;
import io.tony.history.Comparison.Column;
import io.tony.history.Comparison.Deviation;
import io.tony.history.JobSummary.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Test;

public class ComparisonTest {
  private static final Instant BEGIN = Instant.parse("2026-11-23T08:00:00Z");

  private static JobSummary run(Status status, int seconds, Map<String, Double> outputs) {
    return new JobSummary(
        "application_1_0001",
        "ada",
        "research",
        "train",
        "pytorch",
        JobDescription.AzkabanStep.NONE,
        status,
        null,
        "",
        BEGIN,
        BEGIN,
        status == Status.RUNNING ? null : BEGIN.plusSeconds(seconds),
        2,
        0,
        Duration.ofSeconds(3),
        outputs,
        Map.of("worker", 812L),
        "",
        null,
        null,
        "");
  }

  private static Column column(Comparison comparison, String name) {
    return comparison.columns().stream()
        .filter(column -> column.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<Deviation> compared(Double... values) {
    return Comparison.computeDeviations(Arrays.asList(values));
  }

  @Test
  public void shouldPutTheFiguresOfRunsBesideOneAnother() {
    Comparison comparison =
        Comparison.of(
            List.of(
                run(Status.SUCCEEDED, 60, Map.of("loss", 0.5)),
                run(Status.RUNNING, 0, Map.of("loss", 0.25, "steps", 10.0))));

    assertEquals(
        List.of(
            "duration", "queue wait", "restarts", "MiB of worker", "output.loss", "output.steps"),
        comparison.columns().stream().map(Column::name).toList());
    assertEquals(Double.valueOf(60), column(comparison, "duration").values().get(0));
    assertNull("it runs", column(comparison, "duration").values().get(1));
    assertEquals(List.of(0.5, 0.25), column(comparison, "output.loss").values());
    assertNull(column(comparison, "output.steps").values().get(0));
  }

  @Test
  public void shouldFindTheRunThatIsOutOfLine() {
    assertEquals(
        List.of(
            Deviation.USUAL,
            Deviation.USUAL,
            Deviation.HIGH,
            Deviation.USUAL,
            Deviation.USUAL,
            Deviation.LOW,
            Deviation.USUAL),
        compared(10.0, 10.5, 31.0, 9.7, 10.2, 1.0, 10.1));
  }

  @Test
  public void shouldSayNothingOfFewRuns() {
    assertEquals(
        List.of(Deviation.USUAL, Deviation.USUAL, Deviation.USUAL, Deviation.USUAL),
        compared(1.0, 1.0, 1.0, 99.0));
    assertEquals(
        "a run without the figure does not count",
        Deviation.USUAL,
        last(1.0, 1.0, 1.0, null, 99.0));
    assertEquals(Deviation.HIGH, last(1.0, 1.0, 1.0, 1.0, 99.0));
  }

  private static Deviation last(Double... values) {
    return compared(values).get(values.length - 1);
  }

  /** Where most are the same, the least difference would be infinitely far. */
  @Test
  public void shouldNotMindALittleWhereTheOthersAreAlike() {
    assertEquals(Deviation.USUAL, last(100.0, 100.0, 100.0, 100.0, 101.9));
    assertEquals(Deviation.HIGH, last(100.0, 100.0, 100.0, 100.0, 102.1));
    assertEquals(Deviation.HIGH, last(0.0, 0.0, 0.0, 0.0, 1.0));
    assertEquals(Deviation.USUAL, last(0.0, 0.0, 0.0, 0.0, 0.0));
    assertEquals(Deviation.LOW, last(-5.0, -5.0, -5.0, -5.0, -6.0));
  }

  @Test
  public void shouldTakeTheLargestNumbers() {
    double max = Double.MAX_VALUE;
    assertEquals(Deviation.USUAL, last(max, max, max, max, max, max));
  }

  @Test
  public void shouldCompareTheOutputsOfMostRunsHoweverManyOneInvents() {
    Map<String, Double> invented = new HashMap<>();
    for (int i = 0; i < 150; i++) {
      invented.put("a-" + i, 1.0);
    }
    Map<String, Double> usual = Map.of("loss", 0.5);
    Comparison comparison =
        Comparison.of(
            List.of(
                run(Status.SUCCEEDED, 60, invented),
                run(Status.SUCCEEDED, 60, usual),
                run(Status.SUCCEEDED, 60, usual)));
    assertEquals(
        100, comparison.columns().stream().filter(one -> one.name().startsWith("output.")).count());
    assertEquals("loss", column(comparison, "output.loss").name().substring(7));
  }
}
