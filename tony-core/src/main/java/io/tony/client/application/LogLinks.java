package io.tony.client.application;

import io.tony.model.TaskId;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Where the log of a task is found once its application has ended. */
public final class LogLinks {
  private final boolean linksBroken;
  private final ApplicationId application;

  public LogLinks(Configuration conf, ApplicationId application) {
    // The nodes hand their logs in and delete them; only with a log server do their links lead on.
    this.linksBroken =
        conf.getBoolean(
                YarnConfiguration.LOG_AGGREGATION_ENABLED,
                YarnConfiguration.DEFAULT_LOG_AGGREGATION_ENABLED)
            && conf.get(YarnConfiguration.YARN_LOG_SERVER_URL, "").isBlank();
    this.application = application;
  }

  /** The link, or the command that shows the log where the link will lead nowhere. */
  public String logReference(TaskId task, String link) {
    return linksBroken ? "tony logs " + application + " " + task : link;
  }
}
