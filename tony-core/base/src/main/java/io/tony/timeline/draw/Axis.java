package io.tony.timeline.draw;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Time axis of the picture of a timeline: maps times to x coordinates and selects the times that
 * get a label.
 */
final class Axis {
  private static final int MAX_TICKS = 10;

  private static final List<Long> STEPS_MS =
      List.of(
          10L,
          20L,
          50L,
          100L,
          200L,
          500L,
          1_000L,
          2_000L,
          5_000L,
          10_000L,
          15_000L,
          30_000L,
          60_000L,
          120_000L,
          300_000L,
          600_000L,
          900_000L,
          1_800_000L,
          3_600_000L,
          7_200_000L,
          10_800_000L,
          21_600_000L,
          43_200_000L,
          86_400_000L,
          172_800_000L,
          604_800_000L);

  private final Instant begin;
  private final long millis;
  private final double left;
  private final double right;

  Axis(Instant begin, Instant end, double left, double right) {
    this.begin = begin;
    this.millis = Math.max(1, Duration.between(begin, end).toMillis());
    this.left = left;
    this.right = right;
  }

  double x(Instant at) {
    return x(Duration.between(begin, at).toMillis());
  }

  private double x(long at) {
    return left + (right - left) * at / millis;
  }

  double left() {
    return left;
  }

  double right() {
    return right;
  }

  /** A labelled time on the axis. */
  record Tick(double x, String label) {}

  List<Tick> ticks() {
    long step = STEPS_MS.get(STEPS_MS.size() - 1);
    for (long candidate : STEPS_MS) {
      if (millis / candidate <= MAX_TICKS) {
        step = candidate;
        break;
      }
    }
    while (millis / step > MAX_TICKS) {
      step *= 2;
    }
    List<Tick> ticks = new ArrayList<>();
    for (long at = 0; at <= millis; at += step) {
      ticks.add(new Tick(x(at), label(at)));
    }
    return ticks;
  }

  private static String label(long at) {
    if (at == 0) {
      return "0";
    }
    if (at < 60_000) {
      return Svg.number(at / 1000.0).equals("0") || at % 100 != 0
          ? at + " ms"
          : Svg.number(at / 1000.0) + " s";
    }
    long seconds = at / 1_000;
    if (seconds < 3_600) {
      return seconds / 60 + "m" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + "s");
    }
    if (seconds < 86_400) {
      return seconds / 3_600 + "h" + (seconds % 3_600 == 0 ? "" : " " + seconds % 3_600 / 60 + "m");
    }
    return seconds / 86_400
        + "d"
        + (seconds % 86_400 == 0 ? "" : " " + seconds % 86_400 / 3_600 + "h");
  }
}
