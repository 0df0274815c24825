package io.tony.am.checkpoint;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.option.ConfigOption;
import io.tony.text.Strings;

/** Creates the text that tells people which job made a checkpoint. */
final class CheckpointCreator {
  private static final int MAX_CHARS = 200;

  private CheckpointCreator() {}

  /**
   * Returns the Azkaban flow, step and execution of the job that makes the checkpoints, for example
   * {@code nightly.train, execution 17}; empty if the job was not submitted by Azkaban.
   */
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
