package io.tony.config.declared;

import java.util.Locale;

/** Target of YARN's link to a running job. */
public enum TrackingUrl {
  /** The job's page. */
  DASHBOARD,
  /** The job's TensorBoard, once it accepts connections. */
  TENSORBOARD;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
