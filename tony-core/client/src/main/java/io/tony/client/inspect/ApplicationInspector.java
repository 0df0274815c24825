package io.tony.client.inspect;

import io.tony.client.application.ExitCode;
import io.tony.client.application.HadoopErrors;
import io.tony.client.application.RunningApplication;
import io.tony.client.application.YarnResult;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.model.JobResult;
import java.io.IOException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows or ends an application that is given by its id, for {@code tony status} and {@code tony
 * kill}.
 */
public final class ApplicationInspector {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationInspector.class);

  private final ApplicationView view;
  private final RunningApplication application;
  private final JobLog out;

  public ApplicationInspector(ApplicationView view, JobLog out) {
    this.view = view;
    this.application = view.application();
    this.out = out;
  }

  /** Waits for the end of the application and prints the job's result. */
  public ExitCode awaitEnd() throws IOException, YarnException, InterruptedException {
    application.awaitEnd();
    JobResult result = YarnResult.of(application.report(), application.schedulerName());
    out.println(result.status() + ": " + result.message());
    return ExitCode.of(result);
  }

  public ExitCode printStatus() throws IOException, YarnException {
    ApplicationReport report = application.report();
    out.println(
        application.id()
            + " ("
            + report.getName()
            + ", queue "
            + report.getQueue()
            + ") is "
            + report.getYarnApplicationState()
            + ", final status "
            + report.getFinalApplicationStatus()
            + ": "
            + report.getTrackingUrl());
    try {
      StatusText tasks = new StatusText();
      view.read(report.getUser(), tasks::add);
      tasks.print(out, RunningApplication.hasEnded(report));
    } catch (AccessControlException e) {
      out.println("  its tasks are not shown: " + HadoopErrors.of(e).orElse(e.getMessage()));
    }
    return ExitCode.SUCCEEDED;
  }

  /**
   * Prints the status as a JSON object. Works also for an application that YARN no longer knows.
   */
  public ExitCode printStatusJson() throws IOException, YarnException, InvalidJobException {
    ApplicationReport report = view.findReport();
    String owner = ApplicationView.owner(report);
    StatusObject status = new StatusObject(application.id().toString(), owner);
    try {
      view.read(owner, status::add);
    } catch (AccessControlException e) {
      if (report == null) {
        throw e;
      }
      LOG.info("Only what YARN knows is shown: {}", e.getMessage());
    }
    if (status.isEmpty() && report == null) {
      throw view.unknownApplication(owner);
    }
    out.printJson(status.json(report));
    return ExitCode.SUCCEEDED;
  }

  public ExitCode kill() throws IOException, YarnException, InterruptedException {
    if (RunningApplication.hasEnded(application.report())) {
      out.println(application.id() + " has ended already");
    } else {
      application.kill("tony kill", out);
      out.println(application.id() + " is " + application.report().getYarnApplicationState());
    }
    return ExitCode.SUCCEEDED;
  }
}
