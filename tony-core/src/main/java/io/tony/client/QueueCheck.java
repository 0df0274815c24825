package io.tony.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** Checks that jobs can be submitted to a queue. */
final class QueueCheck {
  private final YarnClient yarn;
  private final String name;

  QueueCheck(YarnClient yarn, String name) {
    this.yarn = yarn;
    this.name = name;
  }

  Finding look() throws IOException, YarnException {
    List<String> problems = new ArrayList<>();
    ClusterLimits.queue(yarn, name, problems);
    return problems.isEmpty()
        ? Finding.ok(name + " is RUNNING and takes jobs of this user")
        : Finding.failed(String.join("; ", problems), "");
  }
}
