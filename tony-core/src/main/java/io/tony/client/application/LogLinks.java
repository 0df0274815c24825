package io.tony.client.application;

import io.tony.model.TaskId;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Refers users to a task's log after its application has ended. */
public final class LogLinks {
  private final boolean linksBroken;
  private final ApplicationId application;

  public LogLinks(Configuration conf, ApplicationId application) {
    // With log aggregation, nodes upload their logs and delete them. Links to the nodes then work
    // only if a log server is configured.
    this.linksBroken =
        conf.getBoolean(
                YarnConfiguration.LOG_AGGREGATION_ENABLED,
                YarnConfiguration.DEFAULT_LOG_AGGREGATION_ENABLED)
            && conf.get(YarnConfiguration.YARN_LOG_SERVER_URL, "").isBlank();
    this.application = application;
  }

  /** Returns the link or, if the link will be broken, the command that shows the log. */
  public String logReference(TaskId task, String link) {
    return linksBroken ? "tony logs " + application + " " + task : link;
  }
}
