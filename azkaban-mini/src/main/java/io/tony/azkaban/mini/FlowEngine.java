package io.tony.azkaban.mini;

import azkaban.executor.ExecutableFlow;
import azkaban.executor.ExecutionOptions;
import azkaban.executor.ExecutorManagerException;
import azkaban.jobtype.JobTypeManagerException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs flows with Azkaban 2.5.0's own {@code FlowRunner}, {@code JobRunner} and {@code
 * JobTypeManager}, without Azkaban's web server and database. So dependencies, retries, the
 * propagation of failures and kills are exactly Azkaban's. This engine only adds the input (a
 * folder instead of an upload) and the output (a {@link FlowListener} and a {@link FlowResult}
 * instead of a web page).
 */
public final class FlowEngine {

  private static final String USER = "quickstart";

  private FlowEngine() {}

  /**
   * Runs a flow and returns its result when it has ended.
   *
   * @throws FlowSetupException if the flow cannot be started
   * @throws IOException if the flow's files cannot be copied
   */
  public static FlowResult run(FlowRequest request)
      throws FlowSetupException, IOException, InterruptedException {
    FlowExecution execution = prepare(request);
    execution.start();
    return execution.await();
  }

  /**
   * Reads the flow's files, loads the job types and copies the files into a new execution folder.
   * Does not start the flow.
   *
   * @throws FlowSetupException if the request, the flow's files or a job type is invalid, before
   *     anything is written; or if Azkaban refuses the flow
   * @throws IOException if the flow's files cannot be copied
   */
  public static FlowExecution prepare(FlowRequest request) throws FlowSetupException, IOException {
    List<String> problems = new ArrayList<>(request.problems());
    if (!Object.class.getModule().isOpen("java.lang", FlowEngine.class.getModule())) {
      problems.add(
          "Azkaban cannot find the process ids of its jobs on this Java: start the JVM with"
              + " --add-opens=java.base/java.lang=ALL-UNNAMED");
    }
    if (!problems.isEmpty()) {
      throw new FlowSetupException(problems);
    }
    FlowProject loaded = FlowProject.load(request.flowFolder(), request.flowName());
    WatchedJobTypes jobTypes =
        jobTypes(request.plugins().orElse(request.work().resolve("no-plugins")));
    ExecutionFolder folder = claimFolder(request);
    folder.fill(request.flowFolder());
    try {
      return new FlowExecution(
          executableFlow(loaded, folder, request), jobTypes, request.listener());
    } catch (ExecutorManagerException e) {
      throw new FlowSetupException("Azkaban refuses flow " + loaded.flow().getId(), e);
    }
  }

  private static ExecutionFolder claimFolder(FlowRequest request) throws IOException {
    return request.executionId().isPresent()
        ? ExecutionFolder.claim(request.work(), request.executionId().getAsInt())
        : ExecutionFolder.claimNext(request.work());
  }

  private static ExecutableFlow executableFlow(
      FlowProject loaded, ExecutionFolder folder, FlowRequest request) {
    ExecutionOptions options = new ExecutionOptions();
    options.addAllFlowParameters(request.properties());
    ExecutableFlow flow = new ExecutableFlow(loaded.project(), loaded.flow());
    flow.setExecutionId(folder.executionId());
    flow.setExecutionPath(folder.path().toString());
    flow.setExecutionOptions(options);
    flow.setSubmitUser(USER);
    flow.setSubmitTime(System.currentTimeMillis());
    return flow;
  }

  private static WatchedJobTypes jobTypes(Path plugins) throws FlowSetupException {
    try {
      return new WatchedJobTypes(plugins);
    } catch (JobTypeManagerException e) {
      Throwable root = e;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      throw new FlowSetupException(
          "the job types in " + plugins + " cannot be loaded: " + root.getMessage(), e);
    }
  }
}
