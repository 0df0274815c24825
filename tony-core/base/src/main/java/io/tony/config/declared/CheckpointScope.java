package io.tony.config.declared;

import java.util.Locale;

/** Defines which runs of a job share one folder of checkpoints. */
public enum CheckpointScope {
  /** All Azkaban attempts of a job in one execution of its flow share the folder. */
  EXECUTION,
  /** All executions of one step of a flow share the folder. */
  STEP;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
