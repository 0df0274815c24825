package io.tony.am.yarn;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Creates the URLs under which a browser finds the log files of containers. They lead to the
 * NodeManager's page, which redirects to the log server once the logs are aggregated.
 */
final class NodeLogs {
  private NodeLogs() {}

  static String scheme(Configuration conf) {
    return YarnConfiguration.useHttps(conf) ? "https://" : "http://";
  }

  static String url(String scheme, Container container, String user) {
    return scheme
        + container.getNodeHttpAddress()
        + "/node/containerlogs/"
        + container.getId()
        + "/"
        + user;
  }
}
