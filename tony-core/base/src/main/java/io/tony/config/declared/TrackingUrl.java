package io.tony.config.declared;

import java.util.Locale;

/** Page to which the tracking link of a running job in YARN leads. */
public enum TrackingUrl {
  /** The page that the job's ApplicationMaster serves. */
  DASHBOARD,
  /** The job's TensorBoard, once it accepts connections. */
  TENSORBOARD;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
