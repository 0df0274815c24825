package io.tony.client.application;

import io.tony.model.TaskId;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Tells users how to read a task's log after the end of its application. */
public final class LogLinks {
  private final boolean linksBroken;
  private final ApplicationId application;

  public LogLinks(Configuration conf, ApplicationId application) {
    // With log aggregation, each node uploads its logs to HDFS and deletes them. After that, the
    // nodes' links work only if a log server is configured.
    this.linksBroken =
        conf.getBoolean(
                YarnConfiguration.LOG_AGGREGATION_ENABLED,
                YarnConfiguration.DEFAULT_LOG_AGGREGATION_ENABLED)
            && conf.get(YarnConfiguration.YARN_LOG_SERVER_URL, "").isBlank();
    this.application = application;
  }

  /**
   * Returns {@code link} or, if the link does not work after the end of the application, the
   * command that shows the log.
   */
  public String logReference(TaskId task, String link) {
    return linksBroken ? "tony logs " + application + " " + task : link;
  }
}
