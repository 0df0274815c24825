package io.tony.timeline;

import io.tony.metrics.ReportedProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Maps the progress of a job to the training time that it took to reach this progress. Keeps at
 * most some hundred points, however long the job runs, and interpolates linearly between them. Not
 * thread-safe.
 */
final class ProgressCurve {
  private static final int MAX_POINTS = 512;

  private record Point(double value, long trained) {}

  private final List<Point> points = new ArrayList<>();

  /**
   * The greatest progress so far, with the training time at which it was reached; null if no
   * progress was reported.
   */
  private @Nullable Point frontier;

  /** Minimum distance between two kept points, in milliseconds of training. */
  private long spacingMillis = 1;

  /**
   * Whether the first report contained a total; null before the first report. Reports with and
   * without a total cannot be compared.
   */
  private @Nullable Boolean hasWhole;

  private double last;
  private boolean disordered;

  /**
   * Records that the job has reported the progress {@code reached}.
   *
   * @param trained training time kept until now, in milliseconds
   */
  void record(ReportedProgress reached, long trained) {
    double value = value(reached);
    // A value that decreases within one run does not show how far the job is: it may start again in
    // each epoch, for example. Therefore the curve is not used any more.
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

  /**
   * Records that a new run begins. Its progress may be lower than that of the previous run, because
   * it resumes from a checkpoint.
   */
  void beginRun() {
    last = Double.NEGATIVE_INFINITY;
  }

  /**
   * Returns true if {@link #firstAt} can give an answer: progress was reported, it never decreased
   * within a run, and all reports were comparable.
   */
  boolean isUsable() {
    return frontier != null && !disordered;
  }

  /**
   * Returns the training time in milliseconds after which {@code reached} was first reached; empty
   * if it was not reached or if the curve is not usable.
   */
  OptionalLong firstAt(ReportedProgress reached) {
    double value = value(reached);
    Point greatest = frontier;
    if (greatest == null || disordered || value > greatest.value) {
      return OptionalLong.empty();
    }
    Point before = new Point(0, 0);
    for (Point point : points) {
      if (point.value >= value) {
        return OptionalLong.of(between(before, point, value));
      }
      before = point;
    }
    return OptionalLong.of(between(before, greatest, value));
  }

  private static long between(Point from, Point to, double value) {
    double part = to.value > from.value ? (value - from.value) / (to.value - from.value) : 1;
    return from.trained + Math.round(part * (to.trained - from.trained));
  }

  /** Removes the points after {@code trained} milliseconds, because that training was lost. */
  void truncate(long trained) {
    points.removeIf(point -> point.trained > trained);
    frontier = points.isEmpty() ? null : points.get(points.size() - 1);
  }
}
