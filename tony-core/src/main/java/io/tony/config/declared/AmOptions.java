package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.model.PortRange;
import java.time.Duration;

/** Options of the ApplicationMaster and of how often it starts a gang again. */
public final class AmOptions {
  public static final ConfigOption<Long> MEMORY =
      ConfigOption.key("tony.am.memory")
          .size(RoleOptions.LEAST_MEMORY_MIB)
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
              "GPUs of the ApplicationMaster's container; where the job has no roles or is"
                  + " preprocessed, of the container of that program instead.");

  public static final ConfigOption<String> NODE_LABEL =
      ConfigOption.key("tony.am.node-label")
          .string()
          .doc(
              "YARN node label of the ApplicationMaster's container, instead of"
                  + " `tony.application.node-label`.");

  public static final ConfigOption<PortRange> PORT_RANGE =
      ConfigOption.key("tony.am.port-range")
          .portRange()
          .doc(
              "Ports of the ApplicationMaster, such as `30000-30100`, for firewalls; any free port"
                  + " where it is not set. A job takes one (RPC); with the frameworks `horovod`,"
                  + " `mpi` and `generic` a second one, at which its tasks meet; with"
                  + " `tony.application.tracking-url=tensorboard` one more. Several ApplicationMasters"
                  + " may run on one node: the range must have as many ports as all of them take."
                  + " The tasks' own ports are any free ones (security.md).");

  public static final ConfigOption<PortRange> PAGE_PORT_RANGE =
      ConfigOption.key("tony.am.page-port-range")
          .portRange()
          .doc(
              "Ports of the job's page (viewer.md), one for each ApplicationMaster of a node, which"
                  + " YARN's proxy must reach. Without it, any free port, or no page where"
                  + " `tony.am.port-range` is set.");

  public static final ConfigOption<Integer> RETRY_COUNT =
      ConfigOption.key("tony.am.retry-count")
          .integer(0)
          .defaultTo("0")
          .doc(
              "How often the whole gang is started again, in the same application, after a failure"
                  + " of the program.");

  public static final ConfigOption<Integer> LOST_RETRY_COUNT =
      ConfigOption.key("tony.am.lost-retry-count")
          .integer(0)
          .defaultTo("3")
          .doc(
              "How often it is started again after the loss of a node, a container or an executor,"
                  + " which is not charged to `tony.am.retry-count`.");

  public static final ConfigOption<Integer> PREEMPTED_RETRY_COUNT =
      ConfigOption.key("tony.am.preempted-retry-count")
          .integer(0)
          .defaultTo("20")
          .doc(
              "How often it is started again after YARN took a container back for another queue or"
                  + " application, which is charged to none of the others.");

  public static final ConfigOption<Boolean> STOP_FUTILE_RETRIES =
      ConfigOption.key("tony.am.stop-futile-retries")
          .bool()
          .defaultTo("true")
          .doc(
              "Whether a job fails at once when the same task has failed twice in a row in the same"
                  + " way at the same step, instead of spending the rest of `tony.am.retry-count` or"
                  + " `tony.{role}.retry-count`: with the same exit code and the same exception in"
                  + " its stderr, where numbers, dates, addresses and folders do not count"
                  + " (failures.md). A retry of the Azkaban job then fails at once, too, until its"
                  + " options or files change or the flow is run anew.");

  public static final ConfigOption<Integer> MAX_ATTEMPTS =
      ConfigOption.key("tony.am.max-attempts")
          .integer(1)
          .defaultTo("2")
          .doc(
              "How many ApplicationMasters YARN starts, one after the other, when one is lost within"
                  + " an hour; YARN's own limit (`yarn.resourcemanager.am.max-attempts`) stands above"
                  + " it. The next one takes the running tasks over: programs do not notice, but for"
                  + " those of `mpi` and the store of `generic` (frameworks.md).");

  public static final ConfigOption<Duration> STARTUP_TIMEOUT =
      ConfigOption.key("tony.am.startup-timeout")
          .duration()
          .defaultTo("0")
          .doc(
              "How long the client waits after the submission for the ApplicationMaster to start.");

  public static final ConfigOption<Duration> CLIENT_STOP_TIMEOUT =
      ConfigOption.key("tony.am.wait-client-signal-stop-timeout-sec")
          .duration()
          .defaultTo("15")
          .doc("How long a finished ApplicationMaster waits for its client to take the result.");

  private AmOptions() {}
}
