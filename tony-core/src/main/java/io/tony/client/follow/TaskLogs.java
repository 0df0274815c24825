package io.tony.client.follow;

import io.tony.fact.TaskFact;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** The files of an application's containers, from their nodes or from where these have put them. */
final class TaskLogs {
  /** For a node to begin its answer, and to go on with it. */
  private static final Duration NODE_LIMIT = Duration.ofSeconds(20);

  private static final Pattern LOG_PAGE =
      Pattern.compile("(https?://([^/]+))/node/containerlogs/([^/]+)/.*");

  private final YarnClient yarn;
  private final AggregatedLogs aggregated;

  TaskLogs(Configuration conf, YarnClient yarn, ApplicationId application, String owner) {
    this.yarn = yarn;
    this.aggregated = new AggregatedLogs(conf, application, owner);
  }

  /** Prints one file of a task's container, or why there is none. */
  void print(TaskFact.Allocated allocated, String file, PrintStream out) throws YarnException {
    String missing;
    try {
      printFromNode(allocated, file, out);
      return;
    } catch (FileNotFoundException e) {
      missing = "it has no such file";
    } catch (IOException e) {
      missing = "it gives none (" + e.getMessage() + ")";
    }
    try {
      if (!aggregated.print(allocated.container(), allocated.node(), file, out)) {
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

  /**
   * By the NodeManager's REST resource behind its page (YARN: "NodeManager REST API's"). The page's
   * address was written by the job: this client shows its ticket to nodes of YARN's only.
   */
  private void printFromNode(TaskFact.Allocated allocated, String file, PrintStream out)
      throws IOException, YarnException {
    Matcher page = LOG_PAGE.matcher(allocated.log());
    if (!page.matches() || !isNode(page.group(2))) {
      throw new IOException("YARN has no node that " + allocated.log() + " is a page of");
    }
    URI resource =
        URI.create(page.group(1) + "/ws/v1/node/containerlogs/" + page.group(3) + "/" + file);
    try (InputStream in = YarnPage.get(resource, NODE_LIMIT).getInputStream()) {
      in.transferTo(out);
    }
  }

  private boolean isNode(String address) throws IOException, YarnException {
    return yarn.getNodeReports(NodeState.RUNNING, NodeState.DECOMMISSIONING).stream()
        .map(NodeReport::getHttpAddress)
        .anyMatch(address::equals);
  }
}
