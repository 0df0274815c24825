package io.tony.azkaban.mini;

import azkaban.execapp.FlowRunner;
import azkaban.execapp.JobRunner;
import azkaban.execapp.event.Event;
import azkaban.executor.ExecutableFlow;
import azkaban.executor.ExecutableFlowBase;
import azkaban.executor.ExecutableNode;
import azkaban.executor.ExecutorManagerException;
import azkaban.executor.Status;
import azkaban.utils.Props;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * One run of a flow, from {@link #start} to its {@link FlowResult}. All methods may be called from
 * any thread.
 */
public final class FlowExecution {

  private final ExecutableFlow flow;
  private final FlowRunner runner;
  private final WatchedJobTypes jobTypes;
  private final FlowListener listener;
  private final JobPool pool;
  private final Thread thread;
  private final CountDownLatch killable = new CountDownLatch(1);
  private final CompletableFuture<FlowResult> result = new CompletableFuture<>();

  FlowExecution(ExecutableFlow flow, WatchedJobTypes jobTypes, FlowListener listener)
      throws ExecutorManagerException {
    this.flow = flow;
    this.jobTypes = jobTypes;
    this.listener = listener;
    this.pool =
        new JobPool(jobTypes::hasJob, this::handleSubmit, this::handleJobEvent, this::reportCrash);
    this.runner =
        new FlowRunner(flow, StubLoaders.executions(), StubLoaders.projects(), jobTypes, pool)
            .setGlobalProps(new Props());
    this.thread = new Thread(this::run, "flow-" + flow.getExecutionId());
    runner.addListener(this::handleFlowEvent);
    jobTypes.onJob(this::followLog);
    // The flow runner's logger has this name.
    Logger.getLogger(flow.getExecutionId() + "." + flow.getFlowId()).setLevel(Level.INFO);
  }

  /** Starts the flow; returns immediately. */
  public void start() {
    thread.start();
  }

  /** Waits for the end of the flow, of all its jobs and of their logs. */
  public FlowResult await() throws InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Azkaban's flow runner failed", e.getCause());
    }
  }

  /** Returns true if {@link #await} would return immediately. */
  public boolean hasEnded() {
    return result.isDone();
  }

  /**
   * Kills the flow as Azkaban does on a user's request: running jobs are cancelled one after the
   * other, the others never start. Returns when all have been cancelled; {@link #await} returns
   * when they have ended. Has no effect if the flow has ended.
   *
   * @param by the name of the requester, for the flow's log
   */
  public void kill(String by) throws InterruptedException {
    killable.await();
    if (!result.isDone()) {
      runner.kill(by);
      // The runner does not know a job yet that it is just about to start.
      pool.killAll();
    }
  }

  /**
   * Kills one job as Azkaban does for an SLA: the job's status becomes KILLED and it is not
   * retried.
   *
   * @return false if no such job runs or waits for its start
   */
  public boolean killJob(String job) {
    var found = pool.find(job);
    found.ifPresent(pool::kill);
    return found.isPresent();
  }

  public String flow() {
    return flow.getFlowId();
  }

  public int executionId() {
    return flow.getExecutionId();
  }

  /** The execution's folder, in which the jobs run and which holds the logs. */
  public Path folder() {
    return Path.of(flow.getExecutionPath());
  }

  /** The names of all jobs, including those of embedded flows. */
  public List<String> jobs() {
    return nodes(flow).map(ExecutableNode::getNestedId).sorted().toList();
  }

  /** The running jobs, the longest-running first. */
  public List<RunningJob> running() {
    return pool.runners().stream()
        .filter(job -> job.getNode().getStatus() == Status.RUNNING)
        .map(
            job ->
                new RunningJob(
                    job.getNode().getNestedId(),
                    job.getNode().getAttempt(),
                    Instant.ofEpochMilli(job.getNode().getStartTime()),
                    jobTypes.progress(job)))
        .sorted(Comparator.comparing(RunningJob::startedAt).thenComparing(RunningJob::job))
        .toList();
  }

  private void run() {
    try {
      runner.run();
      // No job is left after a regular end; after a failure of the runner itself, some may be.
      pool.killAll();
      awaitJobs();
      result.complete(FlowResults.of(runner, nodes(flow).toList()));
    } catch (RuntimeException | Error e) {
      pool.killAll();
      pool.shutdown();
      result.completeExceptionally(e);
    } finally {
      killable.countDown();
    }
  }

  private void awaitJobs() {
    pool.shutdown();
    while (!pool.isTerminated()) {
      try {
        pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        // The flow runner interrupts this thread whenever a job ends or a kill arrives. No other
        // thread interrupts it, so the wait continues.
      }
    }
  }

  /**
   * Handles the end of a job. The flow runner sends this event under its lock, so the status read
   * here belongs to the attempt that ended and not yet to the next attempt.
   */
  private void handleFlowEvent(Event event) {
    if (event.getType() == Event.Type.JOB_FINISHED) {
      killable.countDown();
      if (event.getRunner() instanceof JobRunner job) {
        jobTypes.forget(job);
        publish(job.getNode());
      } else if (!(event.getData() instanceof ExecutableFlowBase)) {
        publish((ExecutableNode) event.getData());
      }
    }
  }

  private void handleSubmit(JobRunner job) {
    // Not earlier: if a flow is killed before its first job is submitted, Azkaban 2.5.0 never ends
    // it.
    killable.countDown();
    publish(job.getNode());
  }

  /** Handles status changes of a job, such as its start. */
  private void handleJobEvent(Event event) {
    if (event.getType() == Event.Type.JOB_STATUS_CHANGED) {
      publish(((JobRunner) event.getRunner()).getNode());
    }
  }

  private void publish(ExecutableNode node) {
    listener.jobChanged(
        new JobUpdate(node.getNestedId(), node.getAttempt(), node.getStatus(), Instant.now()));
  }

  private void followLog(Props properties, Logger logger) {
    // Make a job's log complete, whatever the root logger's level is in this JVM.
    logger.setLevel(Level.INFO);
    pool.find(properties)
        .map(JobRunner::getNode)
        .ifPresent(
            node ->
                logger.addAppender(
                    new JobLogAppender(node.getNestedId(), node.getAttempt(), listener)));
  }

  private void reportCrash(JobRunner job, Error error) {
    ExecutableNode node = job.getNode();
    Logger.getLogger(FlowExecution.class).error("job " + node.getNestedId() + " crashed", error);
    listener.jobLogged(
        new LogLine(
            node.getNestedId(),
            node.getAttempt(),
            Level.ERROR,
            Instant.now(),
            "The job type itself failed: " + error));
  }

  private static Stream<ExecutableNode> nodes(ExecutableFlowBase flow) {
    return flow.getExecutableNodes().stream()
        .flatMap(node -> node instanceof ExecutableFlowBase inner ? nodes(inner) : Stream.of(node));
  }
}
