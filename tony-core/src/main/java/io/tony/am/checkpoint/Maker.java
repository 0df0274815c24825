package io.tony.am.checkpoint;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.option.ConfigOption;
import io.tony.model.Beginning;

/** Who makes a job's checkpoints, in words for people. */
final class Maker {
  private static final int MOST_CHARACTERS = 200;

  private Maker() {}

  /** {@code nightly.train, execution 17}; empty for a job that is not Azkaban's. */
  static String of(TonyConfig config) {
    String execution = text(config, AzkabanOptions.EXECUTION);
    return execution.isEmpty()
        ? ""
        : Beginning.of(
            Secrets.maskText(
                text(config, AzkabanOptions.FLOW)
                    + "."
                    + text(config, AzkabanOptions.JOB)
                    + ", execution "
                    + execution),
            MOST_CHARACTERS);
  }

  private static String text(TonyConfig config, ConfigOption<String> option) {
    return config.find(option).orElse("").strip();
  }
}
