package io.tony.config.declared;

import java.util.Locale;

/** What YARN's link to a running job leads to. */
public enum TrackingUrl {
  /** The job's page. */
  DASHBOARD,
  /** The job's TensorBoard, once it is up. */
  TENSORBOARD;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
