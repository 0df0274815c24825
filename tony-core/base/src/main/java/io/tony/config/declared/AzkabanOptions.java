package io.tony.config.declared;

import io.tony.config.option.ConfigOption;
import io.tony.config.option.ConfigOption.SetBy;
import java.time.Duration;
import java.util.List;

/**
 * Options that identify the step of an Azkaban flow, the execution and the attempt to which a job
 * belongs. TonY's job type for Azkaban sets most of them.
 */
public final class AzkabanOptions {
  public static final ConfigOption<String> PROJECT =
      ConfigOption.key("tony.azkaban.project")
          .string()
          .inJob("azkaban.flow.projectname")
          .setBy(SetBy.TONY)
          .doc("Azkaban project.");

  public static final ConfigOption<String> FLOW =
      ConfigOption.key("tony.azkaban.flow")
          .string()
          .inJob("azkaban.flow.flowid")
          .setBy(SetBy.TONY)
          .doc("Flow of the project.");

  public static final ConfigOption<String> EXECUTION =
      ConfigOption.key("tony.azkaban.execution")
          .string()
          .inJob("azkaban.flow.execid")
          .setBy(SetBy.TONY)
          .doc("Execution of the flow.");

  public static final ConfigOption<String> JOB =
      ConfigOption.key("tony.azkaban.job")
          .string()
          .inJob("azkaban.job.id")
          .setBy(SetBy.TONY)
          .doc("Job of the flow.");

  public static final ConfigOption<Integer> ATTEMPT =
      ConfigOption.key("tony.azkaban.attempt")
          .integer(0)
          .defaultTo("0")
          .inJob("azkaban.job.attempt")
          .setBy(SetBy.TONY)
          .doc("Azkaban attempt of the job, counted from 0.");

  public static final ConfigOption<Integer> RETRIES =
      ConfigOption.key("tony.azkaban.retries")
          .integer(0)
          .defaultTo("0")
          .inJob("retries")
          .setBy(SetBy.TONY)
          .doc("How many attempts Azkaban makes by itself after the first one.");

  public static final ConfigOption<String> EXECUTION_SOURCE =
      ConfigOption.key("tony.azkaban.execution-source")
          .string()
          .inJob("azkaban.flow.executionsource")
          .setBy(SetBy.TONY)
          .doc("Why Azkaban runs the flow: `retry` for a flow retry. Azkaban 4 sets it.");

  public static final ConfigOption<String> FLOW_START =
      ConfigOption.key("tony.azkaban.flow-start")
          .string()
          .inJob("azkaban.flow.start.timestamp")
          .setBy(SetBy.TONY)
          .doc("When the execution began, as ISO 8601 with its zone.");

  public static final ConfigOption<String> URL =
      ConfigOption.key("tony.azkaban.url")
          .string()
          .inJob("azkaban.link.jobexec.url")
          .setBy(SetBy.TONY)
          .doc("Page of the job, if Azkaban gives it.");

  public static final ConfigOption<OnExisting> ON_EXISTING =
      ConfigOption.key("tony.azkaban.on-existing")
          .oneOf(OnExisting.class)
          .defaultTo("attach")
          .doc(
              "What to do when an application of the same step is still there: of an earlier"
                  + " Azkaban attempt, or of an earlier execution whose client is gone. `attach`:"
                  + " follow it; one of another execution only where options and files are the"
                  + " same, otherwise it is killed. `kill`: kill it and start anew. `fail`: refuse"
                  + " to start.");

  public static final ConfigOption<Duration> CLIENT_STALE_AFTER =
      ConfigOption.key("tony.azkaban.client-stale-after")
          .interval()
          .alias("tony.azkaban.client-gone-after")
          .defaultTo("90s")
          .doc(
              "The client of another execution counts as gone when it has not asked its"
                  + " ApplicationMaster for this long. A client whose connection is closed, as that"
                  + " of one that was killed, counts as gone after 15 seconds.");

  public static final ConfigOption<String> CLUSTER =
      ConfigOption.key("tony.cluster")
          .name()
          .whenUnset("the first of `tony.client.clusters`")
          .doc(
              "Name of the cluster that the step runs on, where the administrator of Azkaban names"
                  + " several (`tony.client.clusters`, see install.md). It has no effect on the"
                  + " command line, where Hadoop's configuration says which cluster it is. Where"
                  + " Azkaban's router chooses the cluster, a step that names another one is"
                  + " refused.");

  public static final ConfigOption<String> SPECIFICATION =
      ConfigOption.key("tony.azkaban.specification")
          .string()
          .setBy(SetBy.TONY)
          .doc("The job's options and files, as a hash. The client sets it.");

  public static final ConfigOption<Boolean> DRY_RUN =
      ConfigOption.key("tony.azkaban.dry-run")
          .bool()
          .defaultTo("false")
          .doc("Checks the job, prints what would be submitted, and submits nothing.");

  private AzkabanOptions() {}

  /**
   * Returns the options whose values together identify one step of a flow; they are the same in all
   * executions of the flow.
   */
  public static List<ConfigOption<String>> step() {
    return List.of(PROJECT, FLOW, JOB);
  }

  /**
   * Returns the options whose values together identify one job in one execution of a flow; they are
   * the same in all Azkaban attempts of the job.
   */
  public static List<ConfigOption<String>> identity() {
    return List.of(PROJECT, FLOW, EXECUTION, JOB);
  }
}
