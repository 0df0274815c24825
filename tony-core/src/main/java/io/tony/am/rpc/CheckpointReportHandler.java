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

/**
 * Converts executors' reports about checkpoints into events. A task's program can impersonate its
 * executor, so nothing is accepted that a real executor would not send. Thread-safe.
 */
final class CheckpointReportHandler {
  /** Maximum number of reports in one heartbeat; real executors send no more. */
  private static final int MAX_REPORTS = 64;

  /**
   * Maximum number of recorded problems of one task attempt since its last saved checkpoint; real
   * executors report fewer.
   */
  static final int MAX_PROBLEMS = 200;

  static final String MORE_PROBLEMS =
      "more are not told until one is kept: name each checkpoint once, when it is complete, with"
          + " its path in a line of its own";

  /** Maximum age of a checkpoint; an older one indicates a wrong clock on the node. */
  private static final Duration MAX_AGE = Duration.ofDays(30);

  private static final int MAX_PATH_CHARS = 500;
  private static final int MAX_NAME_BYTES = 255;
  private static final Pattern PLAIN_NAME = Pattern.compile("[^/:\\p{Cntrl}]+");

  private final EventSink sink;
  private final InstantSource clock;
  private final StartCheckpoints checkpoints;
  private final Map<TaskId, ProblemCount> problems = new HashMap<>();

  /**
   * Number of reported problems of a task attempt.
   *
   * @param attempt attempt number according to the job, not to the report
   * @param newestSaved newest set with a reported checkpoint of the task; null if none
   */
  private record ProblemCount(int attempt, CheckpointName newestSaved, int count) {}

  /** {@code checkpoints} checks which reports are plausible. */
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
        // Reports with an invalid set name do not come from a real executor and are ignored.
        CheckpointName.parse(report.getSet())
            .flatMap(set -> savedFact(key.task(), set, report))
            .ifPresent(this::offer);
      }
    }
  }

  private void reportProblem(TaskKey key, CheckpointOutcome report) {
    OptionalInt attempt = checkpoints.attempt(key.task());
    if (attempt.isEmpty()) {
      return; // no such task, or the task saves no checkpoints
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

  /** Counts a problem; returns the number of earlier ones. */
  private synchronized int countProblem(TaskId task, int attempt) {
    ProblemCount current = problems.getOrDefault(task, new ProblemCount(attempt, null, 0));
    int before = current.attempt() == attempt ? current.count() : 0;
    int next = Math.min(MAX_PROBLEMS, before) + 1;
    problems.put(task, new ProblemCount(attempt, current.newestSaved(), next));
    return before;
  }

  /**
   * Resets the task's problem count, but only for a newer set: repeated reports of the same
   * checkpoint must not allow more problems.
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

  /** Limits a time to plausible values, because it was taken by the clock of another node. */
  private Instant clampTime(long millis) {
    Instant now = clock.instant();
    long oldest = now.minus(MAX_AGE).toEpochMilli();
    return Instant.ofEpochMilli(Math.max(oldest, Math.min(millis, now.toEpochMilli())));
  }

  /** Returns the last segment of the path; empty if that is not a plain file name. */
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
