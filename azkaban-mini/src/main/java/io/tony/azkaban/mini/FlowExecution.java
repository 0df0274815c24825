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

/** One execution of a flow, from {@link #start} to its {@link FlowResult}. Thread-safe. */
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
    // The flow runner logs to the logger of this name. Its level is set, so that the flow's log is
    // complete.
    Logger.getLogger(flow.getExecutionId() + "." + flow.getFlowId()).setLevel(Level.INFO);
  }

  /** Starts the flow and returns immediately. */
  public void start() {
    thread.start();
  }

  /**
   * Waits until the flow and all its jobs have ended and their logs are complete, and returns the
   * result.
   */
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
   * Kills the flow as Azkaban does when a user requests it: the running jobs are cancelled one
   * after the other, and the other jobs never start. Returns when all running jobs have been
   * cancelled; {@link #await} returns when they have ended. Has no effect if the flow has ended.
   *
   * @param by the requester's name, for the flow's log
   */
  public void kill(String by) throws InterruptedException {
    killable.await();
    if (!result.isDone()) {
      runner.kill(by);
      // The flow runner does not kill a job that it is just starting, so the pool kills it.
      pool.killAll();
    }
  }

  /**
   * Kills one job as Azkaban does if the job exceeds its SLA: the job's status becomes KILLED and
   * the job is not retried.
   *
   * @param job the job's name; inside an embedded flow {@code flow:job}
   * @return false if there is no such job that is running or about to start
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

  /** Returns the execution's folder, in which the jobs run and which contains all logs. */
  public Path folder() {
    return Path.of(flow.getExecutionPath());
  }

  /** Returns the names of all jobs, including those of embedded flows. */
  public List<String> jobs() {
    return nodes(flow).map(ExecutableNode::getNestedId).sorted().toList();
  }

  /** Returns the running jobs, beginning with the longest-running one. */
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
      // After a regular end of the flow runner, no job is running, and this kills nothing. If the
      // flow runner itself failed, jobs may still be running.
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
        // The flow runner interrupts this thread whenever a job ends or the flow is killed, and no
        // other thread does. The wait therefore continues.
      }
    }
  }

  /**
   * Handles the end of a job's attempt. The flow runner sends this event under its lock, so the
   * job's status is still that of the ended attempt, not of the next one.
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
    // Only now is a kill of the flow possible: if a flow is killed before its first job is
    // submitted, Azkaban 2.5.0 never ends the flow.
    killable.countDown();
    publish(job.getNode());
  }

  /** Handles an event of a job that is not its end, such as its start. */
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
    // Logs at INFO and above, whatever the level of this JVM's root logger is, so that the job's
    // log is complete.
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
