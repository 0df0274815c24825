package io.tony.timeline.draw;

import io.tony.timeline.TaskAttempt;
import io.tony.timeline.TaskAttempt.Step;
import io.tony.timeline.TaskAttempt.StepSpan;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Draws the tasks of a role as one stacked area: over time, the number of tasks in each step. A
 * column is two pixels wide, so shorter changes are not visible.
 */
final class RoleArea {
  private static final double COLUMN_WIDTH = 2;

  /** Steps in the order in which they are stacked, from bottom to top. */
  private static final List<Step> STACK_ORDER =
      List.of(Step.RUNNING, Step.GATHERING, Step.LAUNCHING, Step.WAITING);

  private final Axis axis;
  private final int columns;
  private final int[][] counts;
  private final int[] failures;

  RoleArea(Axis axis, List<TaskAttempt> attempts, Instant end) {
    this.axis = axis;
    columns = (int) Math.ceil((axis.right() - axis.left()) / COLUMN_WIDTH);
    counts = new int[STACK_ORDER.size()][columns + 1];
    failures = new int[columns + 1];
    for (TaskAttempt attempt : attempts) {
      for (StepSpan part : attempt.stepSpans(end)) {
        int[] changes = counts[STACK_ORDER.indexOf(part.step())];
        changes[column(part.from())]++;
        changes[column(part.to())]--;
      }
      if (attempt.end() == TaskAttempt.End.FAILED) {
        failures[column(Objects.requireNonNull(attempt.ended()))]++;
      }
    }
    for (int[] changes : counts) {
      for (int i = 1; i <= columns; i++) {
        changes[i] += changes[i - 1];
      }
    }
  }

  private int column(Instant at) {
    double column = Math.floor((axis.x(at) - axis.left()) / COLUMN_WIDTH);
    return (int) Math.max(0, Math.min(columns, column));
  }

  /**
   * Draws the area into {@code svg}; {@code maxCount} is the number of tasks that fills the whole
   * {@code height}.
   */
  void draw(Svg svg, double top, double height, int maxCount) {
    int[] base = new int[columns];
    for (int i = 0; i < STACK_ORDER.size(); i++) {
      int[] upper = new int[columns];
      boolean any = false;
      for (int column = 0; column < columns; column++) {
        upper[column] = base[column] + counts[i][column];
        any |= counts[i][column] > 0;
      }
      if (any) {
        Step step = STACK_ORDER.get(i);
        String path =
            edge(upper, top, height, maxCount, true) + edge(base, top, height, maxCount, false);
        svg.area(path + "Z", Palette.of(step), step.label());
      }
      base = upper;
    }
    for (int column = 0; column <= columns; column++) {
      if (failures[column] > 0) {
        double x = axis.left() + column * COLUMN_WIDTH;
        svg.rect(x, top + height, COLUMN_WIDTH, 5, Palette.ALARM, failures[column] + " failed");
      }
    }
  }

  /**
   * Returns an edge of a step's area as part of an SVG path of horizontal and vertical lines: the
   * upper edge, from left to right, if {@code forward}; otherwise the lower edge, back from right
   * to left. The path has a point wherever the count changes.
   */
  private String edge(int[] values, double top, double height, int maxCount, boolean forward) {
    StringBuilder path = new StringBuilder();
    int step = forward ? 1 : -1;
    int start = forward ? 0 : columns - 1;
    for (int i = 0; i < columns; i++) {
      int column = start + i * step;
      if (i > 0 && values[column] == values[column - step]) {
        continue;
      }
      double x = axis.left() + (forward ? column : column + 1) * COLUMN_WIDTH;
      String at = Svg.number(Math.min(x, axis.right()));
      String y = Svg.number(top + height - height * values[column] / maxCount);
      path.append(i > 0 ? "H" + at + "V" + y : (forward ? "M" : "L") + at + " " + y);
    }
    return path.append('H').append(Svg.number(forward ? axis.right() : axis.left())).toString();
  }
}
