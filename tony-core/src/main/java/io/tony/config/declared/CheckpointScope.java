package io.tony.config.declared;

import java.util.Locale;

/** Defines which runs of a job share one folder of checkpoints. */
public enum CheckpointScope {
  /** All attempts of one job in one Azkaban execution. */
  EXECUTION,
  /** All executions of one step of a flow. */
  STEP;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
