package io.tony.client.submit;

import io.tony.client.output.SizeText;

/** Counts files of a job: those that were uploaded, and those that were already on the cluster. */
final class Shipment {
  private int uploadedCount;
  private long uploadedBytes;
  private int reusedCount;
  private long reusedBytes;

  void addUploaded(long bytes) {
    uploadedCount++;
    uploadedBytes += bytes;
  }

  void addReused(long bytes) {
    reusedCount++;
    reusedBytes += bytes;
  }

  /** Returns the line for the user: {@code uploaded 2 files (1.2 MiB), reused 1 (311 MiB)}. */
  @Override
  public String toString() {
    if (uploadedCount == 0) {
      return "reused " + files(reusedCount) + " (" + SizeText.format(reusedBytes) + ")";
    }
    return "uploaded "
        + files(uploadedCount)
        + " ("
        + SizeText.format(uploadedBytes)
        + ")"
        + (reusedCount == 0
            ? ""
            : ", reused " + reusedCount + " (" + SizeText.format(reusedBytes) + ")");
  }

  private static String files(int count) {
    return count + (count == 1 ? " file" : " files");
  }
}
