package io.tony.event;

import io.tony.model.Endpoint;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.model.TaskId;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** One of each kind of fact, with all that it can tell. */
public final class Samples {
  private static final TaskId WORKER = new TaskId("worker", 1);
  private static final GangFact.Shortage SHORTAGE =
      new GangFact.Shortage("2 × worker (1024 MiB, 1 vcore)", "512 MiB, 8 vcores", "memory");
  private static final JobResult RESULT =
      new JobResult(
          JobResult.Status.FAILED,
          FailureKind.PROGRAM,
          "worker:1 exited with code 3",
          WORKER,
          3,
          true);

  public static final List<Fact> ALL =
      List.of(
          new JobFact.Submitted("application_1_0001", "default", "http://rm/proxy"),
          new JobFact.MasterStarted(
              2,
              "node-1",
              4,
              3,
              new JobFact.LaunchTimes(
                  Instant.parse("2026-11-21T10:00:00.250Z"),
                  Instant.parse("2026-11-21T10:00:03Z"))),
          new JobFact.Described(
              new JobDescription(
                  "ada",
                  "research",
                  "nightly/train",
                  "pytorch",
                  new JobDescription.AzkabanStep("digits", "nightly", "train", "4711", 1),
                  Map.of("tony.worker.instances", "4"),
                  "1 of 2 options")),
          new GangFact.Requested(4, "4 × worker (1024 MiB, 1 vcore)", List.of("worker", "ps")),
          new GangFact.Waiting(SHORTAGE),
          new GangFact.BackedOff(SHORTAGE, "12000 ms"),
          new TaskFact.Allocated(WORKER, "container_1", "node-2", "http://node-2/log", 1024L),
          new TaskFact.Registered(WORKER, new Endpoint("node-2", 4711), 6006),
          new TaskFact.Started(WORKER, 4_294_967_296L),
          new GangFact.Running(),
          new TaskFact.Progressed(WORKER, "step 1/2"),
          new TaskFact.TensorBoard(WORKER, "http://node-2:6006"),
          new JobFact.UsageReport(Map.of("worker:1", "812 0.97")),
          new TaskFact.Failed(
              WORKER,
              FailureKind.PROGRAM,
              "it exited",
              3,
              "Traceback",
              "7/10",
              "node-2",
              "http://node-2/log"),
          new PendingFailure(
              new TaskFact.Failed(
                  WORKER,
                  FailureKind.PROGRAM,
                  "it exited",
                  3,
                  "Error",
                  "7/10",
                  "node-2",
                  "http://node-2/log"),
              5000),
          new RootCause(
              new TaskFact.Failed(
                  WORKER,
                  FailureKind.PROGRAM,
                  "it exited",
                  3,
                  "Error",
                  "7/10",
                  "node-2",
                  "http://node-2/log"),
              1,
              new RootCause.SecondaryFailures(
                  new TaskId("worker", 0), 2, "connection closed by peer", 1),
              new RootCause.Refund(FailureKind.PROGRAM, 2)),
          new TaskFact.Succeeded(WORKER, Map.of("model", "hdfs://m"), "outputs are left out"),
          new CheckpointFact.CheckpointSaved(
              WORKER,
              "1700000000000_0000000012_000003-000000001200",
              1200,
              true,
              4,
              true,
              4096,
              250,
              Instant.parse("2026-11-22T02:59:00Z"),
              "out/model.pt",
              "hdfs://c/model.pt",
              Instant.parse("2026-11-22T02:13:04Z")),
          new CheckpointFact.CheckpointNotSaved(WORKER, "out", "it is empty: write into it first"),
          CheckpointFact.ResumeDecision.from(
              null,
              new CheckpointFact.SourceCheckpoint(
                  "1700000000000_0000000012_000002-000000001100",
                  1100,
                  true,
                  Instant.parse("2026-11-22T01:59:00Z"),
                  "application_1700000000000_0012",
                  "nightly.train, execution 17",
                  "hdfs://c/model.pt")),
          CheckpointFact.ResumeDecision.clean(WORKER, "it was made by another code"),
          new PreemptionAnnounced(WORKER, "node-2"),
          new AccessFact.ContainerHeld(WORKER, 3, "it was silent", "Traceback", 1_800_000),
          new AccessFact.ShellSession(WORKER, "ada", true),
          new HangLocation(WORKER, "read (loader.py:14)"),
          new TaskFact.Stopped(WORKER),
          new TaskFact.Restarted(
              WORKER,
              FailureKind.LOST,
              "its node",
              2,
              7,
              false,
              true,
              RetryBudgetOwner.INCIDENT,
              false,
              "node-2",
              768L),
          new GangFact.Restarted(
              WORKER,
              FailureKind.LOST,
              "its node",
              2,
              7,
              RetryBudgetOwner.NOBODY,
              3,
              true,
              "node-2",
              List.of("prepare"),
              768L),
          new ResizeFact.ScaleUpPlanned("worker", 4),
          new ResizeFact.Resized("worker", 4, 2, 8, Map.of(3, 1), "YARN did not give more"),
          ResizeFact.Resized.liveResize("worker", 2, 3, 9, "there is room for another task"),
          new JobFact.NodeAvoided("node-2", "a task was lost on it"),
          new JobFact.NodeAvoided("node-3", "it failed the preflight of worker:1", 1),
          new JobFact.NodesForgiven(),
          new JobFact.RoleExcused("evaluator", "it took too long"),
          new JobFact.StopRequested("ada"),
          new JobFact.LogBehind("the quota is exceeded"),
          new JobFact.LogCaughtUp(),
          new JobFact.Stopping(RESULT),
          new UsageFact.Straggler(WORKER, "node-2", "worker:1 is slower than its gang", true),
          new UsageFact.Goodput(
              1_000,
              2_000,
              30_000,
              Map.of(FailureKind.LOST, 4_000L, FailureKind.PROGRAM, 500L),
              300,
              2,
              true),
          new JobFact.Advice("ask for less"),
          new JobFact.Finished(RESULT));

  private Samples() {}
}
