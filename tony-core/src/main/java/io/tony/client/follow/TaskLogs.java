package io.tony.client.follow;

import io.tony.container.local.LocalFolders;
import io.tony.fact.TaskFact;
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
  private static final Duration NODE_LIMIT = Duration.ofSeconds(20);

  /** In which a node can be asked; an unhealthy one, with a full disk for example, can. */
  private static final NodeState[] ANSWERING = {
    NodeState.RUNNING, NodeState.UNHEALTHY, NodeState.DECOMMISSIONING
  };

  private final YarnClient yarn;
  private final ApplicationId application;
  private final AggregatedLogs aggregated;
  private Set<String> nodes; // addresses of their pages; null until they are asked for

  TaskLogs(Configuration conf, YarnClient yarn, ApplicationId application, String owner) {
    this.yarn = yarn;
    this.application = application;
    this.aggregated = new AggregatedLogs(conf, application, owner);
  }

  /** Prints one file of a task's container, or why there is none. */
  void print(TaskFact.Allocated allocated, String file, JobLog out) throws YarnException {
    String missing;
    try {
      onNode(allocated, file).print(out.raw());
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

  private ContainerLog onNode(TaskFact.Allocated allocated, String file)
      throws IOException, YarnException {
    if (allocated.log().startsWith("file:")) { // where this user's own jobs have theirs
      return new LocalLog(
          LocalFolders.of(System.getenv())
              .logs(application.toString())
              .resolve(container(allocated.container()).toString())
              .resolve(file));
    }
    return node(allocated.log()).log(container(allocated.container()), file, NODE_LIMIT);
  }

  /**
   * Copies what a file has from an offset on.
   *
   * @throws IOException when the node does not give the file, or not all of it; what was copied
   *     before goes on from the offset all the same
   */
  void copyFromNode(TaskFact.Allocated allocated, String file, long from, OutputStream out)
      throws IOException, YarnException {
    onNode(allocated, file).copy(from, out);
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
        container(allocated.container()).toString(), allocated.node(), file, contents)) {
      throw new IOException("it has no " + file);
    }
  }

  /**
   * The node that serves a page. The job has written its address: this client shows its ticket to
   * YARN's own nodes, and to nobody else.
   */
  private NodePage node(String log) throws IOException, YarnException {
    if (nodes == null) {
      nodes =
          yarn.getNodeReports(ANSWERING).stream()
              .map(NodeReport::getHttpAddress)
              .collect(Collectors.toSet());
    }
    return NodePage.of(log)
        .filter(page -> nodes.contains(page.address()))
        .orElseThrow(
            () -> new IOException(log + " is not the address of a node that YARN has now"));
  }

  /** Of this application and no other: whoever reads this may be allowed to read others' logs. */
  private ContainerId container(String text) throws IOException {
    ContainerId id = ContainerId.fromString(text);
    if (!id.getApplicationAttemptId().getApplicationId().equals(application)) {
      throw new IOException(text + " is no container of " + application);
    }
    return id;
  }
}
