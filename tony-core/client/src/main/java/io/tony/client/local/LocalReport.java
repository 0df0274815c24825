package io.tony.client.local;

import io.tony.container.local.LocalApplication;
import io.tony.container.local.LocalApplication.Item;
import io.tony.container.local.LocalNode;
import io.tony.model.Endpoint;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptReport;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.api.records.ApplicationResourceUsageReport;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerReport;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.YarnApplicationAttemptState;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.apache.hadoop.yarn.util.Records;

/** Reports about an application on this machine, in the form of YARN's reports. */
final class LocalReport {
  private static final String NO_PAGE = "N/A"; // YARN's value if there is no page
  private static final String NAME = "name";
  private static final String TYPE = "type";
  private static final String QUEUE = "queue";
  private static final String STARTED = "started";

  private LocalReport() {}

  /** Saves the parts of an application's submission that later reports contain. */
  static void write(LocalApplication application, ApplicationSubmissionContext context)
      throws IOException {
    Properties request = new Properties();
    request.setProperty(NAME, context.getApplicationName());
    request.setProperty(TYPE, context.getApplicationType());
    request.setProperty(QUEUE, context.getQueue());
    request.setProperty(STARTED, Long.toString(System.currentTimeMillis()));
    StringWriter text = new StringWriter();
    request.store(text, null);
    application.write(Item.REQUEST, text.toString());
  }

  /**
   * Returns the report about an application.
   *
   * @param alive whether the ApplicationMaster is running or its end has not been recorded yet
   */
  static ApplicationReport of(LocalApplication application, boolean alive) throws IOException {
    Properties request = new Properties();
    request.load(new StringReader(application.read(Item.REQUEST).orElse("")));
    ApplicationReport report = Records.newRecord(ApplicationReport.class);
    report.setApplicationId(application.id());
    report.setCurrentApplicationAttemptId(attemptId(application));
    report.setUser(UserGroupInformation.getCurrentUser().getShortUserName());
    report.setName(request.getProperty(NAME, ""));
    report.setApplicationType(request.getProperty(TYPE, ""));
    report.setQueue(request.getProperty(QUEUE, ""));
    report.setStartTime(Long.parseLong(request.getProperty(STARTED, "0")));
    report.setTrackingUrl(application.read(Item.PAGE).orElse(NO_PAGE));
    report.setFinalApplicationStatus(FinalApplicationStatus.UNDEFINED);
    report.setDiagnostics("");
    report.setHost(NO_PAGE);
    report.setRpcPort(-1);
    report.setApplicationResourceUsageReport(
        Records.newRecord(ApplicationResourceUsageReport.class));
    setState(report, application, alive);
    return report;
  }

  private static void setState(
      ApplicationReport report, LocalApplication application, boolean alive) throws IOException {
    Optional<String> address = application.read(Item.ADDRESS);
    address
        .map(Endpoint::parse)
        .ifPresent(
            master -> {
              report.setHost(master.host());
              report.setRpcPort(master.port());
            });
    Optional<String> end = application.read(Item.END);
    if (end.isPresent()) {
      String[] parts = end.get().split("\n", 2);
      report.setDiagnostics(parts[1]);
      report.setTrackingUrl(NO_PAGE); // the ApplicationMaster, which has ended, served the page
      report.setYarnApplicationState(state(parts[0]));
      report.setFinalApplicationStatus(finalStatus(parts[0]));
    } else if (!alive) {
      report.setDiagnostics("the ApplicationMaster is gone");
      report.setYarnApplicationState(YarnApplicationState.FAILED);
      report.setFinalApplicationStatus(FinalApplicationStatus.FAILED);
    } else {
      report.setYarnApplicationState(
          address.isPresent() ? YarnApplicationState.RUNNING : YarnApplicationState.ACCEPTED);
    }
  }

  private static YarnApplicationState state(String end) {
    return switch (end) {
      case "KILLED" -> YarnApplicationState.KILLED;
      case "LOST" -> YarnApplicationState.FAILED;
      default -> YarnApplicationState.FINISHED;
    };
  }

  private static FinalApplicationStatus finalStatus(String end) {
    return switch (end) {
      case "KILLED" -> FinalApplicationStatus.KILLED;
      case "SUCCEEDED" -> FinalApplicationStatus.SUCCEEDED;
      default -> FinalApplicationStatus.FAILED;
    };
  }

  private static ApplicationAttemptId attemptId(LocalApplication application) {
    return ApplicationAttemptId.newInstance(application.id(), 1);
  }

  static ApplicationAttemptReport attempt(LocalApplication application, boolean alive)
      throws IOException {
    ApplicationReport report = of(application, alive);
    YarnApplicationAttemptState state =
        switch (report.getYarnApplicationState()) {
          case RUNNING -> YarnApplicationAttemptState.RUNNING;
          case FINISHED -> YarnApplicationAttemptState.FINISHED;
          case KILLED -> YarnApplicationAttemptState.KILLED;
          case FAILED -> YarnApplicationAttemptState.FAILED;
          default -> YarnApplicationAttemptState.LAUNCHED;
        };
    ApplicationAttemptReport attempt = Records.newRecord(ApplicationAttemptReport.class);
    attempt.setApplicationAttemptId(attemptId(application));
    attempt.setYarnApplicationAttemptState(state);
    attempt.setAMContainerId(ContainerId.newContainerId(attemptId(application), 1));
    return attempt;
  }

  /** Returns a report about each running container. */
  static List<ContainerReport> containers(LocalApplication application) {
    return application.containers().stream()
        .map(
            id -> {
              ContainerReport container = Records.newRecord(ContainerReport.class);
              container.setContainerId(id);
              container.setContainerState(ContainerState.RUNNING);
              container.setAssignedNode(NodeId.newInstance(LocalNode.HOST, 0));
              return container;
            })
        .toList();
  }
}
