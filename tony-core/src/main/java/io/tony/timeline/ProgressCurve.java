package io.tony.timeline;

import io.tony.metrics.ReportedProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Maps progress to the training time after which it was first reached. Keeps some hundred points,
 * however long the job runs, and interpolates linearly between them.
 */
final class ProgressCurve {
  private static final int MAX_POINTS = 512;

  private record Point(double value, long trained) {}

  private final List<Point> points = new ArrayList<>();

  /** The furthest progress; null if none was reported. */
  private Point frontier;

  /** Minimum distance between two points, in milliseconds of training. */
  private long spacingMillis = 1;

  /**
   * Whether the first report contained a total; reports of the other form cannot be compared with
   * it.
   */
  private Boolean hasWhole;

  private double last;
  private boolean disordered;

  /**
   * Records that the job has reached a progress.
   *
   * @param trained training time kept until then, in milliseconds
   */
  void record(ReportedProgress reached, long trained) {
    double value = value(reached);
    // A value that decreases within one run, for example because it restarts in each epoch, does
    // not show the progress of the job.
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

  /** Starts a new run, whose progress may be lower, as it resumes from a checkpoint. */
  void beginRun() {
    last = Double.NEGATIVE_INFINITY;
  }

  /**
   * Returns true if {@link #firstAt} can be answered: progress was reported, and in increasing
   * order.
   */
  boolean isUsable() {
    return frontier != null && !disordered;
  }

  /**
   * Returns the training time in milliseconds after which the progress was first reached; empty if
   * it was not.
   */
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

  /** Removes what was reached after {@code trained} milliseconds, since that training was lost. */
  void truncate(long trained) {
    points.removeIf(point -> point.trained > trained);
    frontier = points.isEmpty() ? null : points.get(points.size() - 1);
  }
}
