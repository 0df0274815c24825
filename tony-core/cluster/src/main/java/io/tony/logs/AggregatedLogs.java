package io.tony.logs;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.logaggregation.ContainerLogsRequest;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileControllerFactory;

/**
 * Prints aggregated container logs of a finished application. They exist only if the cluster
 * aggregates logs ({@code yarn.log-aggregation-enable}).
 */
public final class AggregatedLogs {
  private final Configuration conf;
  private final ApplicationId application;
  private final String owner;

  public AggregatedLogs(Configuration conf, ApplicationId application, String owner) {
    this.conf = conf;
    this.application = application;
    this.owner = owner;
  }

  /**
   * Prints one log file of a container in the format of {@code yarn logs}: the contents follow a
   * header of a few lines.
   *
   * @param node node on which the container ran; files of other nodes are not opened
   * @return false if there is no such file
   * @throws IOException also if no log of the application is available
   */
  public boolean print(String container, String node, String file, OutputStream out)
      throws IOException {
    ContainerLogsRequest request = new ContainerLogsRequest();
    request.setAppId(application);
    request.setAppOwner(owner);
    request.setContainerId(container);
    request.setNodeId(node);
    request.setLogTypes(new HashSet<>(Set.of(file)));
    request.setBytes(Long.MAX_VALUE);
    try {
      return new LogAggregationFileControllerFactory(conf)
          .getFileControllerForRead(application, owner)
          .readAggregatedLogs(request, out);
    } catch (IOException | RuntimeException e) {
      throw readableError(e);
    }
  }

  /**
   * Returns an exception with a readable message for Hadoop's exception {@code e}, whose own
   * message may be empty or have a line for each place that was searched. A wrong setting of the
   * cluster may cause any type of exception.
   */
  static IOException readableError(Exception e) {
    String why =
        e.getMessage() == null
            ? ""
            : e.getMessage().strip().lines().collect(Collectors.joining("; "));
    return new IOException(why.isEmpty() ? "there are none of this application" : why, e);
  }
}
