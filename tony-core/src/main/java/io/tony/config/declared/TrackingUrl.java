package io.tony.config.declared;

import java.util.Locale;

/** Page to which YARN's link of a running job leads. */
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
