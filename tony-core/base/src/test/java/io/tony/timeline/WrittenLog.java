package io.tony.timeline;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.JobFact;
import io.tony.event.RetryBudgetOwner;
import io.tony.event.TaskFact;
import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A log as an ApplicationMaster writes it, second by second. */
public final class WrittenLog {
  public static final Instant START = Instant.parse("2026-11-23T08:00:00Z");

  private final List<JobEvent> events = new ArrayList<>();
  private Duration clock = Duration.ZERO;
  private Instant now = START;
  private int session;

  /** What follows happens so many seconds after the start. */
  public WrittenLog at(double seconds) {
    now = second(seconds);
    return this;
  }

  public static Instant second(double seconds) {
    return START.plusMillis(Math.round(seconds * 1_000));
  }

  /** By how much the clock of whoever writes from now on is ahead. */
  WrittenLog ahead(double seconds) {
    clock = Duration.ofMillis(Math.round(seconds * 1_000));
    return this;
  }

  public WrittenLog fact(Fact fact) {
    events.add(fact.toEvent(now.plus(clock), session));
    session += fact instanceof GangFact.Restarted ? 1 : 0;
    return this;
  }

  public WrittenLog master(int attempt, int tasks) {
    return fact(
        new JobFact.MasterStarted(attempt, "master-" + attempt, tasks, attempt == 1 ? null : 1));
  }

  public WrittenLog requested(int tasks, String... roles) {
    return fact(new GangFact.Requested(tasks, tasks + " containers", List.of(roles)));
  }

  public WrittenLog allocated(String task, String node) {
    return fact(new TaskFact.Allocated(TaskId.parse(task), "container-" + task, node, "log"));
  }

  public WrittenLog registered(String task) {
    return fact(new TaskFact.Registered(TaskId.parse(task), new Endpoint("node", 4711), 0));
  }

  public WrittenLog running() {
    return fact(new GangFact.Running());
  }

  public WrittenLog started(String task) {
    return fact(new TaskFact.Started(TaskId.parse(task), 42));
  }

  public WrittenLog progress(String task) {
    return fact(new TaskFact.Progressed(TaskId.parse(task), "step 1/2"));
  }

  public WrittenLog progress(String task, String text) {
    return fact(new TaskFact.Progressed(TaskId.parse(task), text));
  }

  public WrittenLog succeeded(String task) {
    return fact(new TaskFact.Succeeded(TaskId.parse(task), Map.of(), ""));
  }

  public WrittenLog failed(String task, String message) {
    return fact(
        new TaskFact.Failed(
            TaskId.parse(task),
            FailureKind.PROGRAM,
            message,
            1,
            "",
            "",
            "node",
            "http://node/log"));
  }

  WrittenLog backedOff() {
    return fact(
        new GangFact.BackedOff(new GangFact.Shortage("2 × worker", "", "memory"), "1000 ms"));
  }

  /** All containers are kept. */
  public WrittenLog gangRestarted(String task, int attempt, String message, String... done) {
    return gangRestarted(task, attempt, FailureKind.PROGRAM, message, done);
  }

  public WrittenLog gangRestarted(
      String task, int attempt, FailureKind kind, String message, String... done) {
    return fact(
        new GangFact.Restarted(
            TaskId.parse(task),
            kind,
            message,
            1,
            attempt,
            RetryBudgetOwner.JOB,
            2,
            true,
            "node",
            List.of(done)));
  }

  public WrittenLog taskRestarted(String task, int attempt, boolean kept, boolean alone) {
    return fact(
        new TaskFact.Restarted(
            TaskId.parse(task),
            FailureKind.LOST,
            "its node is lost",
            1,
            attempt,
            kept,
            alone,
            RetryBudgetOwner.ROLE,
            false,
            "node",
            null));
  }

  public WrittenLog stopping() {
    return fact(new JobFact.Stopping(JobResult.succeeded("2 of 2 tasks succeeded")));
  }

  public WrittenLog finished() {
    return fact(new JobFact.Finished(JobResult.succeeded("2 of 2 tasks succeeded")));
  }

  /** It is decided that the job ends in this way, and it has. */
  public WrittenLog ended(JobResult result) {
    return fact(new JobFact.Stopping(result)).fact(new JobFact.Finished(result));
  }

  public List<JobEvent> events() {
    return events;
  }

  /** Two workers, one of which writes its progress. */
  public static WrittenLog plain() {
    return new WrittenLog()
        .at(0)
        .fact(
            new JobFact.MasterStarted(
                1, "master-1", 2, null, new JobFact.LaunchTimes(second(-3), second(-1))))
        .requested(2, "worker")
        .at(1)
        .allocated("worker:0", "node-0")
        .at(3)
        .allocated("worker:1", "node-1")
        .at(4)
        .registered("worker:0")
        .at(6)
        .registered("worker:1")
        .running()
        .at(6.5)
        .started("worker:0")
        .at(7)
        .started("worker:1")
        .at(10)
        .progress("worker:0");
  }

  /** The same to its end. */
  public static WrittenLog whole() {
    return plain()
        .at(20)
        .succeeded("worker:1")
        .at(30)
        .succeeded("worker:0")
        .stopping()
        .at(31)
        .finished();
  }

  /** What YARN says of it. */
  public static YarnTimes yarn() {
    return new YarnTimes(second(-3), second(-2), second(31.5), null);
  }
}
