package io.tony.am.checkpoint;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.option.ConfigOption;
import io.tony.text.Strings;

/** Who makes a job's checkpoints, in words for people. */
final class CheckpointCreator {
  private static final int MAX_CHARS = 200;

  private CheckpointCreator() {}

  /** {@code nightly.train, execution 17}; empty for a job that is not Azkaban's. */
  static String of(TonyConfig config) {
    String execution = text(config, AzkabanOptions.EXECUTION);
    return execution.isEmpty()
        ? ""
        : Strings.truncate(
            Secrets.maskText(
                text(config, AzkabanOptions.FLOW)
                    + "."
                    + text(config, AzkabanOptions.JOB)
                    + ", execution "
                    + execution),
            MAX_CHARS);
  }

  private static String text(TonyConfig config, ConfigOption<String> option) {
    return config.find(option).orElse("").strip();
  }
}
