package io.tony.client.inspect;

import io.tony.client.output.JobLog;
import io.tony.container.local.LocalClusterFolders;
import io.tony.event.TaskFact;
import io.tony.logs.AggregatedLogs;
import io.tony.logs.ContainerLog;
import io.tony.logs.LocalLog;
import io.tony.logs.LogContents;
import io.tony.logs.NodePage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * The files of an application's containers: from their nodes, or where logs are aggregated and the
 * application has ended, from HDFS.
 */
final class TaskLogs {
  /** For a node to begin its answer, and to go on with it. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(20);

  /** In which a node can be asked; an unhealthy one, with a full disk for example, can. */
  private static final NodeState[] REACHABLE_STATES = {
    NodeState.RUNNING, NodeState.UNHEALTHY, NodeState.DECOMMISSIONING
  };

  private final YarnClient yarn;
  private final ApplicationId application;
  private final AggregatedLogs aggregated;
  private Set<String> nodeAddresses; // addresses of their pages; null until they are asked for

  TaskLogs(Configuration conf, YarnClient yarn, ApplicationId application, String owner) {
    this.yarn = yarn;
    this.application = application;
    this.aggregated = new AggregatedLogs(conf, application, owner);
  }

  /** Prints one file of a task's container, or why there is none. */
  void print(TaskFact.Allocated allocated, String file, JobLog out) throws YarnException {
    String missing;
    try {
      nodeLog(allocated, file).print(out.raw());
      return;
    } catch (FileNotFoundException e) {
      missing = "it has no such file";
    } catch (IOException | IllegalArgumentException e) {
      missing = "it gives none (" + e.getMessage() + ")";
    }
    try {
      if (!aggregated.print(allocated.container(), allocated.node(), file, out.raw())) {
        out.println("(neither on the node any more nor among the aggregated logs)");
      }
    } catch (IOException e) {
      out.println(
          "(not to be had from the node any more: "
              + missing
              + "; and not among the aggregated logs: "
              + e.getMessage()
              + ")");
    }
  }

  private ContainerLog nodeLog(TaskFact.Allocated allocated, String file)
      throws IOException, YarnException {
    if (allocated.logUrl().startsWith("file:")) { // where this user's own jobs have theirs
      return new LocalLog(
          LocalClusterFolders.of(System.getenv())
              .logs(application.toString())
              .resolve(parseContainer(allocated.container()).toString())
              .resolve(file));
    }
    return nodePage(allocated.logUrl())
        .log(parseContainer(allocated.container()), file, NODE_TIMEOUT);
  }

  /**
   * Copies what a file has from an offset on.
   *
   * @throws IOException when the node does not give the file, or not all of it; what was copied
   *     before goes on from the offset all the same
   */
  void copyFromNode(TaskFact.Allocated allocated, String file, long from, OutputStream out)
      throws IOException, YarnException {
    nodeLog(allocated, file).copy(from, out);
  }

  /**
   * Copies what an aggregated file has from an offset on.
   *
   * @throws IOException when it is not there, or not yet
   */
  void copyAggregated(TaskFact.Allocated allocated, String file, long from, OutputStream out)
      throws IOException {
    LogContents contents = new LogContents(from, Long.MAX_VALUE, out);
    if (!aggregated.print(
        parseContainer(allocated.container()).toString(), allocated.node(), file, contents)) {
      throw new IOException("it has no " + file);
    }
  }

  /**
   * The node that serves a page. The job has written its address: this client shows its ticket to
   * YARN's own nodes, and to nobody else.
   */
  private NodePage nodePage(String log) throws IOException, YarnException {
    if (nodeAddresses == null) {
      nodeAddresses =
          yarn.getNodeReports(REACHABLE_STATES).stream()
              .map(NodeReport::getHttpAddress)
              .collect(Collectors.toSet());
    }
    return NodePage.of(log)
        .filter(page -> nodeAddresses.contains(page.address()))
        .orElseThrow(
            () -> new IOException(log + " is not the address of a node that YARN has now"));
  }

  /** Of this application and no other: whoever reads this may be allowed to read others' logs. */
  private ContainerId parseContainer(String text) throws IOException {
    ContainerId id = ContainerId.fromString(text);
    if (!id.getApplicationAttemptId().getApplicationId().equals(application)) {
      throw new IOException(text + " is no container of " + application);
    }
    return id;
  }
}
