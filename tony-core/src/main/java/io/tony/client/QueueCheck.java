package io.tony.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.QueueACL;
import org.apache.hadoop.yarn.api.records.QueueInfo;
import org.apache.hadoop.yarn.api.records.QueueState;
import org.apache.hadoop.yarn.api.records.QueueUserACLInfo;
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
    String remedy = "Name another queue with -queue, and for jobs with tony.yarn.queue";
    List<String> problems = new ArrayList<>();
    QueueInfo queue = ClusterLimits.queue(yarn, name, problems);
    if (!problems.isEmpty()) {
      return Finding.failed(String.join("; ", problems), "");
    }
    if (queue.getQueueState() != QueueState.RUNNING) {
      return Finding.failed("queue " + name + " is " + queue.getQueueState(), remedy);
    }
    if (!maySubmit()) {
      return Finding.failed(
          "queue "
              + name
              + " does not take jobs of "
              + UserGroupInformation.getCurrentUser().getShortUserName(),
          remedy + "; or ask its administrator for the right to submit");
    }
    return Finding.ok(name + " is RUNNING and takes jobs of this user");
  }

  /** True also where the scheduler does not tell: the launch will show it. */
  private boolean maySubmit() throws IOException, YarnException {
    return yarn.getQueueAclsInfo().stream()
        .filter(acls -> isNamed(acls.getQueueName()))
        .findFirst()
        .map(QueueUserACLInfo::getUserAcls)
        .map(acls -> acls.contains(QueueACL.SUBMIT_APPLICATIONS))
        .orElse(true);
  }

  /** Schedulers name a queue by its path from the root, or by the last part of that. */
  private boolean isNamed(String queue) {
    return queue.equals(name) || queue.endsWith("." + name) || name.endsWith("." + queue);
  }
}
