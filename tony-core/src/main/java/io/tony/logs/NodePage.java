package io.tony.logs;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The web server of the node that has a container's logs, from the URL of the logs' page. The URL
 * is written by the job and cannot be trusted: before a Kerberos ticket is sent to the address, the
 * caller must ask YARN whether it belongs to a node.
 *
 * @param root root URL of the web server
 * @param address host and port of the web server
 */
public record NodePage(String root, String address) {
  private static final Pattern LOGS = Pattern.compile("(https?://([^/]+))/node/containerlogs/.*");

  /** Parses the URL of a page of container logs; empty for any other URL. */
  public static Optional<NodePage> of(String logs) {
    Matcher page = LOGS.matcher(logs);
    return page.matches()
        ? Optional.of(new NodePage(page.group(1), page.group(2)))
        : Optional.empty();
  }

  /**
   * Returns one log file of a container.
   *
   * @param timeout maximum time to wait for the connection, and for each read
   */
  public NodeLog log(ContainerId container, String file, Duration timeout) {
    return new NodeLog(
        URI.create(root + "/ws/v1/node/containerlogs/" + container + "/" + file), timeout);
  }
}
