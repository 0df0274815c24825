package io.tony.am.rpc;

import io.tony.am.checkpoint.StartCheckpoints;
import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.checkpoint.CheckpointName;
import io.tony.event.CheckpointFact;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.proto.TonyProtos.CheckpointOutcome;
import io.tony.text.Strings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts executors' reports about checkpoints into events. The user's program can impersonate its
 * executor, so a report that a real executor would not send is ignored. Thread-safe.
 */
final class CheckpointReportHandler {
  /**
   * Maximum number of reports that are accepted from one heartbeat; real executors send no more.
   */
  private static final int MAX_REPORTS = 64;

  /**
   * Maximum number of recorded problems with checkpoints of one task attempt since its last saved
   * checkpoint. Real executors report fewer.
   */
  static final int MAX_PROBLEMS = 200;

  static final String MORE_PROBLEMS =
      "more are not reported until one is kept: name each checkpoint once, when it is complete, with"
          + " its path in a line of its own";

  /**
   * Maximum age of a saved checkpoint. An older time comes from a wrong clock on the node and is
   * limited to this.
   */
  private static final Duration MAX_AGE = Duration.ofDays(30);

  private static final int MAX_PATH_CHARS = 500;
  private static final int MAX_NAME_BYTES = 255;
  private static final Pattern PLAIN_NAME = Pattern.compile("[^/:\\p{Cntrl}]+");

  private final EventSink sink;
  private final InstantSource clock;
  private final StartCheckpoints checkpoints;
  private final Map<TaskId, ProblemCount> problems = new HashMap<>();

  /**
   * Number of problems with checkpoints that a task attempt has reported since its last saved
   * checkpoint.
   *
   * @param attempt the task's current attempt number as this ApplicationMaster knows it, not as
   *     reported
   * @param newestSaved newest set in which the task has reported a checkpoint; null if none
   */
  private record ProblemCount(int attempt, @Nullable CheckpointName newestSaved, int count) {}

  /** {@code checkpoints} determines which reports can be true. */
  CheckpointReportHandler(EventSink sink, InstantSource clock, StartCheckpoints checkpoints) {
    this.sink = sink;
    this.clock = clock;
    this.checkpoints = checkpoints;
  }

  void handle(TaskKey key, List<CheckpointOutcome> reports) {
    for (CheckpointOutcome report : reports.subList(0, Math.min(MAX_REPORTS, reports.size()))) {
      if (report.hasProblem()) {
        reportProblem(key, report);
      } else {
        // A report whose set has an invalid name does not come from a real executor and is ignored.
        CheckpointName.parse(report.getSet())
            .flatMap(set -> savedFact(key.task(), set, report))
            .ifPresent(this::offer);
      }
    }
  }

  private void reportProblem(TaskKey key, CheckpointOutcome report) {
    OptionalInt attempt = checkpoints.attempt(key.task());
    if (attempt.isEmpty()) {
      // The task does not exist or saves no checkpoints.
      return;
    }
    int before = countProblem(key.task(), attempt.getAsInt());
    if (before <= MAX_PROBLEMS) {
      String problem = before < MAX_PROBLEMS ? report.getProblem() : MORE_PROBLEMS;
      offer(
          new CheckpointFact.CheckpointNotSaved(
              key.task(),
              Strings.truncate(report.getPath(), MAX_PATH_CHARS),
              Strings.truncate(problem, ReportLimits.MAX_MESSAGE_CHARS)));
    }
  }

  /**
   * Counts a problem with a checkpoint of this task attempt. Returns the number of problems counted
   * before.
   */
  private synchronized int countProblem(TaskId task, int attempt) {
    ProblemCount current = problems.getOrDefault(task, new ProblemCount(attempt, null, 0));
    int before = current.attempt() == attempt ? current.count() : 0;
    int next = Math.min(MAX_PROBLEMS, before) + 1;
    problems.put(task, new ProblemCount(attempt, current.newestSaved(), next));
    return before;
  }

  /**
   * Sets the task's problem count to 0, because the task has saved a checkpoint in {@code set}.
   * Does nothing if {@code set} is not newer than the set of the last reset: otherwise an executor
   * that repeats a report could report any number of problems.
   */
  private synchronized void resetProblems(TaskId task, CheckpointName set) {
    ProblemCount current = problems.get(task);
    if (current != null
        && (current.newestSaved() == null || set.compareTo(current.newestSaved()) > 0)) {
      problems.put(task, new ProblemCount(current.attempt(), set, 0));
    }
  }

  private Optional<CheckpointFact> savedFact(
      TaskId task, CheckpointName set, CheckpointOutcome report) {
    Optional<String> location = checkpoints.recordSaved(task, set, fileName(report.getUri()));
    location.ifPresent(place -> resetProblems(task, set));
    return location.map(
        place ->
            new CheckpointFact.CheckpointSaved(
                task,
                set.toString(),
                set.number(),
                report.getStep(),
                checkpoints.ownerCount(),
                false,
                Math.max(0, report.getBytes()),
                Math.max(0, report.getTookMs()),
                report.hasNamedMs() ? clampTime(report.getNamedMs()) : clock.instant(),
                Strings.truncate(report.getPath(), MAX_PATH_CHARS),
                place,
                report.hasAskedMs() ? Instant.ofEpochMilli(report.getAskedMs()) : null));
  }

  /** Converts a time that another node's clock measured; limits it to plausible values. */
  private Instant clampTime(long millis) {
    Instant now = clock.instant();
    long oldest = now.minus(MAX_AGE).toEpochMilli();
    return Instant.ofEpochMilli(Math.max(oldest, Math.min(millis, now.toEpochMilli())));
  }

  /** Returns the last segment of the path; empty if that is not a valid file name. */
  private static String fileName(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    boolean plain =
        PLAIN_NAME.matcher(name).matches()
            && !name.equals(".")
            && !name.equals("..")
            && name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
    return plain ? name : "";
  }

  private void offer(CheckpointFact fact) {
    sink.offer(new Event.CheckpointReported(clock.instant(), fact));
  }
}
