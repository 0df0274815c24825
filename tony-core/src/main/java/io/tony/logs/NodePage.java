package io.tony.logs;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The node that has the logs of a container, by the address of their page. Whoever shows a ticket
 * to it asks YARN first whether it is one: a job writes such addresses itself.
 *
 * @param root of all that it serves
 * @param address its host and port
 */
public record NodePage(String root, String address) {
  private static final Pattern LOGS = Pattern.compile("(https?://([^/]+))/node/containerlogs/.*");

  /** Nothing for what is no such page. */
  public static Optional<NodePage> of(String logs) {
    Matcher page = LOGS.matcher(logs);
    return page.matches()
        ? Optional.of(new NodePage(page.group(1), page.group(2)))
        : Optional.empty();
  }

  /**
   * One file of a container.
   *
   * @param timeout for the node to begin an answer, and to go on with it
   */
  public NodeLog log(ContainerId container, String file, Duration timeout) {
    return new NodeLog(
        URI.create(root + "/ws/v1/node/containerlogs/" + container + "/" + file), timeout);
  }
}
