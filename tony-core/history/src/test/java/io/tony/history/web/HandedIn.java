package io.tony.history.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.logaggregation.AggregatedLogFormat.LogKey;
import org.apache.hadoop.yarn.logaggregation.AggregatedLogFormat.LogValue;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileController;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileControllerContext;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileControllerFactory;

/** What a NodeManager hands in when an application has ended, written by Hadoop's own code. */
public final class HandedIn {
  public static final String NODE = "node-1";

  private final Configuration conf;
  private final Path scratch;

  /** In a folder that the configuration names from then on. */
  public HandedIn(Configuration conf, Path folder) throws IOException {
    this.conf = conf;
    this.scratch = Files.createDirectories(folder.resolve("on-the-node"));
    conf.setBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, true);
    conf.set(
        YarnConfiguration.NM_REMOTE_APP_LOG_DIR,
        Files.createDirectories(folder.resolve("handed-in")).toUri().toString());
  }

  /** {@code files} are what a container has written, by their names. */
  public void write(String container, Map<String, String> files) throws Exception {
    ContainerId id = ContainerId.fromString(container);
    ApplicationId application = id.getApplicationAttemptId().getApplicationId();
    Path here =
        Files.createDirectories(scratch.resolve(application.toString()).resolve(id.toString()));
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(here.resolve(file.getKey()), file.getValue());
    }
    UserGroupInformation me = UserGroupInformation.getCurrentUser();
    String user = me.getShortUserName();
    NodeId node = NodeId.newInstance(NODE, 4711);
    LogAggregationFileController gathered =
        new LogAggregationFileControllerFactory(conf).getFileControllerForWrite();
    gathered.createAppDir(user, application, me);
    org.apache.hadoop.fs.Path file = gathered.getRemoteNodeLogFileForApp(application, user, node);
    gathered.initializeWriter(
        new LogAggregationFileControllerContext(
            file, file, false, -1, application, Map.of(), node, me));
    gathered.write(new LogKey(id), new LogValue(List.of(scratch.toString()), id, user));
    gathered.closeWriter();
  }
}
