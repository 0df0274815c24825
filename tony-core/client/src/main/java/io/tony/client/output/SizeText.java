package io.tony.client.output;

import java.util.Locale;

/** Formats sizes in bytes for users: {@code 311 MiB}, {@code 1.2 GiB}. */
public final class SizeText {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

  private SizeText() {}

  public static String format(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(
        Locale.ROOT, unit > 0 && value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
  }
}
