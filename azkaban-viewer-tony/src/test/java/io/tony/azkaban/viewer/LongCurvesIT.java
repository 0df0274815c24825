package io.tony.azkaban.viewer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import org.junit.Before;
import org.junit.Test;

/**
 * A training of six hours: what the page draws of it, point by point, against the lines that its
 * program wrote.
 */
public final class LongCurvesIT extends BrowserTest {
  private static final int LINES = 10_800;

  /** Milliseconds from one line of progress to the next in an event log. */
  private static final long PACE = 2_000;

  private static final int LINES_PER_HOUR = 1_800;

  /** The area of a chart in its own units: see {@code chart.js}. */
  private static final double LEFT = 52;

  private static final double WIDTH = 360 - 52 - 12;

  /** Units to which a drawn point is rounded. */
  private static final double ROUNDED = 0.006;

  private record Point(double millis, double value) {}

  private static double loss(int line) {
    double spike = line == LINES_PER_HOUR ? 5 : line == 3 * LINES_PER_HOUR ? 4 : 0;
    return spike > 0 ? spike : 0.1 + 2 * Math.exp(-line / 3_000.0);
  }

  /** It rises for eighteen minutes, and then falls to 0. */
  private static double rate(int line) {
    int warm = 540;
    return line < warm ? 1e-3 * line / warm : 1e-3 * (LINES - line) / (LINES - warm);
  }

  @Before
  public void train() throws Exception {
    JobLogFile log = submitted();
    log.event("AM_STARTED", null, "attempt", "1", "host", "n", "tasks", "1");
    log.event("TASK_STARTED", "worker:0", "pid", "1");
    for (int line = 0; line < LINES; line++) {
      log.at(Instant.ofEpochMilli(timeOf(line) - 1_000)); // an event is a second later
      String words =
          String.format(
              Locale.ROOT, "step %d/%d loss=%.6f lr=%.9f", line, LINES, loss(line), rate(line));
      log.event("TASK_PROGRESS", "worker:0", "text", words);
    }
    azkaban.add(ended(log, "SUCCEEDED"));
    open();
    browser.await(END);
  }

  private static long timeOf(int line) {
    return START + line * PACE;
  }

  /** The points of a chart, as they are drawn, back in the units of what they show. */
  private static List<Point> drawn(String title) throws Exception {
    JsonNode chart =
        browser.evaluate(
            """
            (() => {
              const chart = [...document.querySelectorAll('#curve-charts figure')]
                .find((one) => one.querySelector('figcaption').textContent === '%s');
              const grid = [...chart.querySelectorAll('line.grid')];
              const value = (line) => Number(line.nextElementSibling.textContent.replaceAll(',', ''));
              const [foot, top] = [grid[0], grid.at(-1)];
              return {
                foot: [Number(foot.getAttribute('y1')), value(foot)],
                top: [Number(top.getAttribute('y1')), value(top)],
                lines: [...chart.querySelectorAll('polyline')].map((line) => line.getAttribute('points')),
              };
            })()"""
                .formatted(title));
    assertEquals("one line without a gap", 1, chart.get("lines").size());
    double foot = chart.at("/foot/0").asDouble();
    double unit =
        (chart.at("/top/1").asDouble() - chart.at("/foot/1").asDouble())
            / (foot - chart.at("/top/0").asDouble());
    List<Point> points = new ArrayList<>();
    for (String pair : chart.at("/lines/0").asText().split(" ", -1)) {
      String[] xAndY = pair.split(",", -1);
      points.add(
          new Point(
              (Double.parseDouble(xAndY[0]) - LEFT) / WIDTH * (LINES - 1) * PACE,
              chart.at("/foot/1").asDouble() + (foot - Double.parseDouble(xAndY[1])) * unit));
    }
    return points;
  }

  /**
   * Each is between the least and the most that was true at its time, as exactly as it is drawn.
   */
  private static void assertTrueToTheLines(List<Point> points, IntToDoubleFunction truth) {
    double span = ROUNDED / WIDTH * LINES * PACE + PACE;
    double height = points.stream().mapToDouble(Point::value).max().orElseThrow() * ROUNDED / 60;
    for (Point point : points) {
      int from = (int) Math.max(0, Math.floor((point.millis - span) / PACE));
      int to = (int) Math.min(LINES - 1, Math.ceil((point.millis + span) / PACE));
      double least = Double.MAX_VALUE;
      double most = -Double.MAX_VALUE;
      for (int line = from; line <= to; line++) {
        least = Math.min(least, truth.applyAsDouble(line));
        most = Math.max(most, truth.applyAsDouble(line));
      }
      assertTrue(
          point + " is not between " + least + " and " + most,
          point.value >= least - height && point.value <= most + height);
    }
  }

  private static void assertEvenlyDense(List<Point> points) {
    long[] quarters = new long[4];
    points.forEach(point -> quarters[(int) Math.min(3, 4 * point.millis / (LINES * PACE))]++);
    long each = points.size() / 4;
    for (long quarter : quarters) {
      assertTrue(
          each + " points in each quarter, and " + quarter + " in one",
          Math.abs(quarter - each) <= each / 10);
    }
    assertTrue(points.size() + " points", points.size() >= 200 && points.size() <= 800);
    assertEquals("the first", 0, points.get(0).millis, PACE);
    assertEquals(
        "the last", (LINES - 1) * PACE, points.get(points.size() - 1).millis, (double) PACE);
  }

  @Test
  public void shouldDrawSixHoursAsTheyWere() throws Exception {
    List<Point> loss = drawn("loss");
    assertTrueToTheLines(loss, LongCurvesIT::loss);
    assertEvenlyDense(loss);
    for (int hour : new int[] {1, 3}) {
      int line = hour * LINES_PER_HOUR;
      assertTrue(
          "the spike after " + hour + " h",
          loss.stream()
              .anyMatch(
                  point ->
                      Math.abs(point.millis - line * PACE) <= PACE
                          && Math.abs(point.value - loss(line)) < 0.01));
    }

    List<Point> rate = drawn("lr");
    assertTrueToTheLines(rate, LongCurvesIT::rate);
    assertEvenlyDense(rate);
    Point highest = rate.stream().max((a, b) -> Double.compare(a.value, b.value)).orElseThrow();
    assertEquals(1e-3, highest.value, 1e-5);
    assertEquals("it falls from there", 540 * PACE, highest.millis, 4 * PACE);
  }
}
