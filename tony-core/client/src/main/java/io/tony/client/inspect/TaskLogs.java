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
import org.jspecify.annotations.Nullable;

/**
 * Reads the log files of an application's containers from their nodes. If the application has ended
 * and logs are aggregated, reads what the nodes no longer have from HDFS.
 */
final class TaskLogs {
  /** Maximum time that a node may take to begin its answer, and between two parts of the answer. */
  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(20);

  /**
   * States in which a node answers. An unhealthy node, for example one with a full disk, answers,
   * too.
   */
  private static final NodeState[] REACHABLE_STATES = {
    NodeState.RUNNING, NodeState.UNHEALTHY, NodeState.DECOMMISSIONING
  };

  private final YarnClient yarn;
  private final ApplicationId application;
  private final AggregatedLogs aggregated;
  private @Nullable Set<String> nodeAddresses; // null before the first use

  TaskLogs(Configuration conf, YarnClient yarn, ApplicationId application, String owner) {
    this.yarn = yarn;
    this.application = application;
    this.aggregated = new AggregatedLogs(conf, application, owner);
  }

  /** Prints one log file of a task's container, or the reason why the file cannot be shown. */
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
    if (allocated.logUrl().startsWith("file:")) { // the container ran on this machine, without YARN
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
   * Copies a log file of a container from the container's node.
   *
   * @param from number of bytes to skip at the beginning
   * @throws IOException if the node does not provide the file, or not all of it; the bytes that
   *     were copied before are valid
   */
  void copyFromNode(TaskFact.Allocated allocated, String file, long from, OutputStream out)
      throws IOException, YarnException {
    nodeLog(allocated, file).copy(from, out);
  }

  /**
   * Copies a log file of a container from the aggregated logs.
   *
   * @param from number of bytes to skip at the beginning
   * @throws IOException if the file is not among the aggregated logs, maybe not yet
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
   * Returns the web page of the node that serves a log.
   *
   * @param log URL of the log. The job wrote the URL into its event log, so it is not trusted.
   * @throws IOException if the URL is not that of one of YARN's nodes; this client must not send
   *     its Kerberos authentication to other servers
   */
  private NodePage nodePage(String log) throws IOException, YarnException {
    Set<String> addresses = nodeAddresses();
    return NodePage.of(log)
        .filter(page -> addresses.contains(page.address()))
        .orElseThrow(
            () -> new IOException(log + " is not the address of a node that YARN has now"));
  }

  /** Returns the addresses of the web pages of YARN's nodes. The first call asks YARN for them. */
  private Set<String> nodeAddresses() throws IOException, YarnException {
    if (nodeAddresses == null) {
      nodeAddresses =
          yarn.getNodeReports(REACHABLE_STATES).stream()
              .map(NodeReport::getHttpAddress)
              .collect(Collectors.toSet());
    }
    return nodeAddresses;
  }

  /**
   * Parses the id of a container of this application.
   *
   * @throws IOException if the container is of another application; this user might be allowed to
   *     read that application's logs
   */
  private ContainerId parseContainer(String text) throws IOException {
    ContainerId id = ContainerId.fromString(text);
    if (!id.getApplicationAttemptId().getApplicationId().equals(application)) {
      throw new IOException(text + " is no container of " + application);
    }
    return id;
  }
}
