package io.tony.timeline.draw;

import io.tony.timeline.TaskAttempt.End;
import java.util.Locale;

/**
 * Draws a small sign at the end of an attempt that shows how the attempt ended. The signs differ in
 * shape, not only in color.
 */
final class EndSign {
  private static final double RADIUS = 3.2;

  private EndSign() {}

  static String label(End end) {
    return switch (end) {
      case RESTARTED -> "started again";
      case SUCCEEDED, FAILED, STOPPED, GIVEN_BACK ->
          end.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }

  static void draw(Svg svg, End end, double x, double y) {
    switch (end) {
      case SUCCEEDED ->
          svg.stroke(
              path("M", x - RADIUS, y)
                  + path("L", x - RADIUS / 3, y + RADIUS)
                  + path("L", x + RADIUS, y - RADIUS),
              "#2f6f4a",
              label(end));
      case FAILED ->
          svg.stroke(
              path("M", x - RADIUS, y - RADIUS)
                  + path("L", x + RADIUS, y + RADIUS)
                  + path("M", x + RADIUS, y - RADIUS)
                  + path("L", x - RADIUS, y + RADIUS),
              Palette.ALARM,
              label(end));
      case STOPPED ->
          svg.rect(x - RADIUS + 0.6, y - RADIUS + 0.6, 5.2, 5.2, Palette.FAINT, label(end));
      case RESTARTED ->
          svg.stroke(
              path("M", x - RADIUS, y - RADIUS)
                  + path("L", x, y)
                  + path("L", x - RADIUS, y + RADIUS),
              Palette.INK,
              label(end));
      case GIVEN_BACK ->
          svg.stroke(
              path("M", x + RADIUS, y - RADIUS)
                  + path("L", x, y)
                  + path("L", x + RADIUS, y + RADIUS),
              Palette.INK,
              label(end));
    }
  }

  private static String path(String command, double x, double y) {
    return command + Svg.number(x) + " " + Svg.number(y);
  }
}
