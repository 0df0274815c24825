package io.tony.config.declared;

import java.util.Locale;

/** Who has a folder of checkpoints in common. */
public enum CheckpointScope {
  /** All attempts of one job of one execution. */
  EXECUTION,
  /** One step of a flow, through all its executions. */
  STEP;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
