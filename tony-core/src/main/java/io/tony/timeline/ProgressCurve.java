package io.tony.timeline;

import io.tony.metrics.ReportedProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * After how much training a job first had reached what. It keeps some hundred points, however long
 * the job runs, and takes the progress between two of them as even.
 */
final class ProgressCurve {
  private static final int MAX_POINTS = 512;

  private record Point(double value, long trained) {}

  private final List<Point> points = new ArrayList<>();

  /** The furthest; null while nothing was told. */
  private Point frontier;

  /** Between two points, in milliseconds of training. */
  private long spacingMillis = 1;

  /** Whether a program tells where it ends, as it did first; others cannot be compared. */
  private Boolean hasWhole;

  private double last;
  private boolean disordered;

  /**
   * The job has reached this.
   *
   * @param trained milliseconds of training that were kept until then
   */
  void record(ReportedProgress reached, long trained) {
    double value = value(reached);
    // Within one run it counts anew, as of each epoch: that does not tell how far the job is.
    disordered |= value < last;
    last = value;
    if (frontier != null && value <= frontier.value) {
      return;
    }
    frontier = new Point(value, trained);
    if (points.isEmpty() || trained - points.get(points.size() - 1).trained >= spacingMillis) {
      points.add(frontier);
    }
    if (points.size() > MAX_POINTS) {
      thin();
    }
  }

  private void thin() {
    List<Point> remaining = new ArrayList<>();
    for (int i = 0; i < points.size(); i += 2) {
      remaining.add(points.get(i));
    }
    points.clear();
    points.addAll(remaining);
    spacingMillis *= 2;
  }

  private double value(ReportedProgress reached) {
    hasWhole = hasWhole == null ? reached.hasTotal() : hasWhole;
    disordered |= hasWhole != reached.hasTotal();
    return reached.fraction().orElse(reached.done());
  }

  /** A program goes on from where a checkpoint left it. */
  void beginRun() {
    last = Double.NEGATIVE_INFINITY;
  }

  /** Whether it can be told when something was reached. */
  boolean isUsable() {
    return frontier != null && !disordered;
  }

  /** After how much training this was first reached; none where it was not. */
  OptionalLong firstAt(ReportedProgress reached) {
    double value = value(reached);
    if (!isUsable() || value > frontier.value) {
      return OptionalLong.empty();
    }
    Point before = new Point(0, 0);
    for (Point point : points) {
      if (point.value >= value) {
        return OptionalLong.of(between(before, point, value));
      }
      before = point;
    }
    return OptionalLong.of(between(before, frontier, value));
  }

  private static long between(Point from, Point to, double value) {
    double part = to.value > from.value ? (value - from.value) / (to.value - from.value) : 1;
    return from.trained + Math.round(part * (to.trained - from.trained));
  }

  /** What was reached after so much training is to be reached again. */
  void truncate(long trained) {
    points.removeIf(point -> point.trained > trained);
    frontier = points.isEmpty() ? null : points.get(points.size() - 1);
  }
}
