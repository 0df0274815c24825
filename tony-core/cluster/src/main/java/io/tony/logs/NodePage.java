package io.tony.logs;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The web server of the node that has a container's logs, as named by the URL of the logs' page.
 * The job writes this URL, so it cannot be trusted: before a Kerberos ticket is sent to the
 * address, the caller must ask YARN whether the address belongs to a node.
 *
 * @param root root URL of the web server
 * @param address host and port of the web server
 */
public record NodePage(String root, String address) {
  private static final Pattern LOGS = Pattern.compile("(https?://([^/]+))/node/containerlogs/.*");

  /**
   * Returns the web server in the URL {@code logs}; empty if this is not the URL of a page of
   * container logs.
   */
  public static Optional<NodePage> of(String logs) {
    Matcher page = LOGS.matcher(logs);
    return page.matches()
        ? Optional.of(new NodePage(page.group(1), page.group(2)))
        : Optional.empty();
  }

  /**
   * Returns the log file {@code file} of a container on this node.
   *
   * @param timeout maximum time to wait for the connection, and for each read
   */
  public NodeLog log(ContainerId container, String file, Duration timeout) {
    return new NodeLog(
        URI.create(root + "/ws/v1/node/containerlogs/" + container + "/" + file), timeout);
  }
}
