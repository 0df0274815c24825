package io.tony.metrics;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** The format, by its specification: "Text-based format" of Prometheus' exposition formats. */
public class PrometheusTextTest {
  private static final Metric JOBS = Metric.gauge("jobs", "Jobs by \"queue\" and \\user.", "queue");

  private final PrometheusText text = new PrometheusText();

  @Test
  public void shouldTellHelpTypeAndSamplesOfAMetricTogether() {
    text.with(
            JOBS,
            samples -> {
              samples.add(3, "a");
              samples.add(0.25, "b");
            })
        .with(Metric.counter("runs_total", "Runs."), 1_700_000_000_000.0);
    assertEquals(
        """
        # HELP jobs Jobs by "queue" and \\\\user.
        # TYPE jobs gauge
        jobs{queue="a"} 3
        jobs{queue="b"} 0.25
        # HELP runs_total Runs.
        # TYPE runs_total counter
        runs_total 1700000000000
        """,
        text.toString());
  }

  @Test
  public void shouldLetNoTextEndItsLabel() {
    text.with(JOBS, samples -> samples.add(1, "a\"} 7\nforged 1 \\ \u001b[2J\r é"));
    assertTrue(
        text.toString(),
        text.toString().endsWith("\njobs{queue=\"a\\\"} 7\\nforged 1 \\\\  [2J  é\"} 1\n"));
  }

  @Test
  public void shouldLeaveOutAMetricWithoutSamples() {
    assertEquals("", text.with(JOBS, samples -> {}).toString());
  }

  @Test
  public void shouldTellNumbersThatAreNone() {
    text.with(
        JOBS,
        samples -> {
          samples.add(Double.NaN, "a");
          samples.add(Double.NEGATIVE_INFINITY, "b");
          samples.add(1e300, "c");
        });
    assertTrue(
        text.toString(),
        text.toString()
            .endsWith(
                "\njobs{queue=\"a\"} NaN\njobs{queue=\"b\"} -Inf\njobs{queue=\"c\"} 1.0E300\n"));
  }

  @Test
  public void shouldTakeNoSampleWithOtherLabels() {
    assertThrows(
        IllegalArgumentException.class, () -> text.with(JOBS, samples -> samples.add(1, "a", "b")));
  }

  @Test
  public void shouldKnowACounterByItsName() {
    assertThrows(IllegalArgumentException.class, () -> Metric.gauge("runs_total", "Runs."));
    assertThrows(IllegalArgumentException.class, () -> Metric.counter("runs", "Runs."));
    assertThrows(IllegalArgumentException.class, () -> Metric.gauge("runs", "Runs.", "a b"));
  }
}
