package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import java.time.Duration;

/** Options of gangs that may run with fewer tasks than preferred (docs/elastic.md). */
public final class ElasticOptions {
  public static final ConfigOption<Duration> WAIT_TIMEOUT =
      ConfigOption.key("tony.elastic.wait-timeout")
          .interval()
          .defaultTo("30s")
          .doc(
              "How long a gang waits for containers that it can do without"
                  + " (`tony.{role}.min-instances`), before it starts with those that it has.");

  public static final ConfigOption<Duration> GROW_INTERVAL =
      ConfigOption.key("tony.elastic.grow-interval")
          .interval()
          .defaultTo("10m")
          .doc(
              "How long a gang with fewer tasks than it wants trains before it asks for more. Each"
                  + " time that it shrinks or tries to grow, the interval doubles, up to 32 times"
                  + " as long.");

  public static final ConfigOption<Boolean> LIVE_RESIZE =
      ConfigOption.key("tony.elastic.live-resize")
          .bool()
          .alias("tony.elastic.join-running")
          .defaultTo("false")
          .doc(
              "Whether tasks may leave and join a gang while the programs of the others run on"
                  + " (frameworks `ray`, `pytorch` with torchrun, `generic`). Needs"
                  + " `tony.{role}.min-instances`. Otherwise all programs start again, from a"
                  + " checkpoint.");

  private ElasticOptions() {}
}
