package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import io.tony.model.PortRange;
import java.time.Duration;

/** Options of the ApplicationMaster and of the restarts of a gang. */
public final class AmOptions {
  public static final ConfigOption<Long> MEMORY =
      ConfigOption.key("tony.am.memory")
          .size(RoleOptions.MIN_MEMORY_MIB)
          .defaultTo("2g")
          .doc("Memory of the ApplicationMaster's container.");

  public static final ConfigOption<Integer> VCORES =
      ConfigOption.key("tony.am.vcores")
          .integer(1)
          .defaultTo("1")
          .doc("Virtual cores of the ApplicationMaster's container.");

  public static final ConfigOption<Integer> GPUS =
      ConfigOption.key("tony.am.gpus")
          .integer(0)
          .defaultTo("0")
          .doc(
              "GPUs of the ApplicationMaster's container. Where the job has no roles or is"
                  + " preprocessed: of the container of that program.");

  public static final ConfigOption<String> NODE_LABEL =
      ConfigOption.key("tony.am.node-label")
          .name()
          .whenUnset("`tony.application.node-label`")
          .doc("YARN node label of the ApplicationMaster's container.");

  public static final ConfigOption<PortRange> PORT_RANGE =
      ConfigOption.key("tony.am.port-range")
          .portRange()
          .setBy(SetBy.PLATFORM)
          .whenUnset("any free port")
          .doc(
              "Ports of the ApplicationMaster, such as `30000-30100`, for firewalls. A job takes"
                  + " one (RPC); with `horovod`, `mpi` and `generic` a second one, at which its"
                  + " tasks meet; with `tony.application.tracking-url=tensorboard` one more."
                  + " Several ApplicationMasters can run on one node: the range must have ports for"
                  + " all of them. The tasks' own ports are any free ones (security.md).");

  public static final ConfigOption<PortRange> PAGE_PORT_RANGE =
      ConfigOption.key("tony.am.page-port-range")
          .portRange()
          .whenUnset("any free port; no page where `tony.am.port-range` is set")
          .setBy(SetBy.PLATFORM)
          .doc(
              "Ports of the job's page (viewer.md), one for each ApplicationMaster of a node."
                  + " YARN's proxy must reach them.");

  public static final ConfigOption<Integer> RETRY_COUNT =
      ConfigOption.key("tony.gang.max-restarts")
          .integer(0)
          .alias("tony.am.retry-count")
          .defaultTo("0")
          .doc(
              "How often the whole gang is started again, in the same application, after a failure"
                  + " of the program (`PROGRAM`, `MEMORY`).");

  public static final ConfigOption<Integer> LOST_RETRY_COUNT =
      ConfigOption.key("tony.gang.max-lost-restarts")
          .integer(0)
          .alias("tony.am.lost-retry-count")
          .defaultTo("3")
          .doc(
              "How often the gang is started again after the loss of a node, a container or a TonY"
                  + " executor (`LOST`). It is a limit of its own.");

  public static final ConfigOption<Integer> PREEMPTED_RETRY_COUNT =
      ConfigOption.key("tony.gang.max-preempted-restarts")
          .integer(0)
          .alias("tony.am.preempted-retry-count")
          .defaultTo("20")
          .doc(
              "How often the gang is started again after YARN took a container back for another"
                  + " queue or application (`PREEMPTED`). It is a limit of its own.");

  public static final ConfigOption<Boolean> STOP_REPEATED_FAILURES =
      ConfigOption.key("tony.gang.stop-repeated-failures")
          .bool()
          .alias("tony.am.stop-futile-retries")
          .defaultTo("true")
          .doc(
              "Whether a job fails at once when the same task has failed twice in a row in the same"
                  + " way at the same step, instead of using up `tony.gang.max-restarts` or"
                  + " `tony.{role}.retry-count`: see \"Retries that cannot help\" in failures.md. A"
                  + " retry of the Azkaban job then fails at once, too, until its options or files"
                  + " change or the flow is run anew.");

  public static final ConfigOption<Integer> MAX_ATTEMPTS =
      ConfigOption.key("tony.am.max-attempts")
          .integer(1)
          .defaultTo("2")
          .doc(
              "How many ApplicationMasters YARN starts, one after the other, when one is lost"
                  + " within an hour. YARN's own limit (`yarn.resourcemanager.am.max-attempts`)"
                  + " holds, too. The next one takes over the running tasks: programs notice"
                  + " nothing, except with `mpi` and the store of `generic` (frameworks.md).");

  public static final ConfigOption<Duration> STARTUP_TIMEOUT =
      ConfigOption.key("tony.am.startup-timeout")
          .duration()
          .defaultTo("0")
          .doc(
              "How long the client waits after the submission for the ApplicationMaster to start. Once"
                  + " one has begun the job, it waits for the next without a limit.");

  public static final ConfigOption<Duration> CLIENT_STOP_TIMEOUT =
      ConfigOption.key("tony.am.wait-client-signal-stop-timeout-sec")
          .duration()
          .defaultTo("15")
          .doc("How long a finished ApplicationMaster waits for its client to take the result.");

  private AmOptions() {}
}
