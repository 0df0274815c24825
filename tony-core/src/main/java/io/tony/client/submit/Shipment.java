package io.tony.client.submit;

import java.util.Locale;

/** How much of what a job ships was uploaded, and how much was on the cluster already. */
final class Shipment {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

  private int uploaded;
  private long uploadedBytes;
  private int reused;
  private long reusedBytes;

  void uploaded(long bytes) {
    uploaded++;
    uploadedBytes += bytes;
  }

  void reused(long bytes) {
    reused++;
    reusedBytes += bytes;
  }

  /** For a person: {@code uploaded 2 files (1.2 MiB), reused 1 (311 MiB)}. */
  @Override
  public String toString() {
    if (uploaded == 0) {
      return "reused " + files(reused) + " (" + size(reusedBytes) + ")";
    }
    return "uploaded "
        + files(uploaded)
        + " ("
        + size(uploadedBytes)
        + ")"
        + (reused == 0 ? "" : ", reused " + reused + " (" + size(reusedBytes) + ")");
  }

  private static String files(int count) {
    return count + (count == 1 ? " file" : " files");
  }

  private static String size(long bytes) {
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
