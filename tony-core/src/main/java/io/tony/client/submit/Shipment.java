package io.tony.client.submit;

import io.tony.client.follow.Sizes;

/** How much of what a job ships was uploaded, and how much was on the cluster already. */
final class Shipment {
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
      return "reused " + files(reused) + " (" + Sizes.text(reusedBytes) + ")";
    }
    return "uploaded "
        + files(uploaded)
        + " ("
        + Sizes.text(uploadedBytes)
        + ")"
        + (reused == 0 ? "" : ", reused " + reused + " (" + Sizes.text(reusedBytes) + ")");
  }

  private static String files(int count) {
    return count + (count == 1 ? " file" : " files");
  }
}
