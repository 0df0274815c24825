package io.tony.am.rpc;

import io.tony.am.checkpoint.TaskCheckpoints;
import io.tony.am.loop.EventSink;
import io.tony.am.machine.Event;
import io.tony.checkpoint.SetName;
import io.tony.fact.CheckpointFact;
import io.tony.model.Beginning;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.protocol.ReportLimits;
import io.tony.protocol.proto.TonyProtos.Kept;
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
 * Turns what executors say of checkpoints into events. A program can say the same in the name of
 * its executor, so that nothing is believed that an executor would not say. For use by several
 * threads.
 */
final class KeptReports {
  /** Of one heartbeat; an executor has no more to tell. */
  private static final int MOST = 64;

  /** Of one task attempt, since it has kept one. An executor has fewer to tell. */
  static final int MOST_PROBLEMS = 200;

  static final String MORE =
      "more are not told until one is kept: name each checkpoint once, when it is complete, with"
          + " its path in a line of its own";

  /** Longer ago, its node's clock is wrong. */
  private static final Duration OLDEST = Duration.ofDays(30);

  private static final int MOST_PATH = 500;
  private static final int MOST_NAME_BYTES = 255;
  private static final Pattern PLAIN = Pattern.compile("[^/:\\p{Cntrl}]+");

  private final EventSink sink;
  private final InstantSource clock;
  private final TaskCheckpoints checkpoints;
  private final Map<TaskId, Problems> problems = new HashMap<>();

  /**
   * How many there were in the task's attempt.
   *
   * @param attempt as the job knows it, whatever is claimed
   * @param kept the newest set that it has kept one of; null for none
   */
  private record Problems(int attempt, SetName kept, int count) {}

  /** {@code checkpoints} knows what may be true. */
  KeptReports(EventSink sink, InstantSource clock, TaskCheckpoints checkpoints) {
    this.sink = sink;
    this.clock = clock;
    this.checkpoints = checkpoints;
  }

  void heard(TaskKey key, List<Kept> reports) {
    for (Kept report : reports.subList(0, Math.min(MOST, reports.size()))) {
      if (report.hasProblem()) {
        problem(key, report);
      } else {
        // What is no set's name was not told by an executor of ours.
        SetName.parse(report.getSet())
            .flatMap(set -> kept(key.task(), set, report))
            .ifPresent(this::offer);
      }
    }
  }

  private void problem(TaskKey key, Kept report) {
    OptionalInt attempt = checkpoints.attempt(key.task());
    if (attempt.isEmpty()) {
      return; // there is no such task, or it keeps none
    }
    int before = count(key.task(), attempt.getAsInt());
    if (before <= MOST_PROBLEMS) {
      String problem = before < MOST_PROBLEMS ? report.getProblem() : MORE;
      offer(
          new CheckpointFact.NotKept(
              key.task(),
              Beginning.of(report.getPath(), MOST_PATH),
              Beginning.of(problem, ReportLimits.MESSAGE)));
    }
  }

  /** How many there were before this one. */
  private synchronized int count(TaskId task, int attempt) {
    Problems known = problems.getOrDefault(task, new Problems(attempt, null, 0));
    int before = known.attempt() == attempt ? known.count() : 0;
    int next = Math.min(MOST_PROBLEMS, before) + 1;
    problems.put(task, new Problems(attempt, known.kept(), next));
    return before;
  }

  /** Only a newer one: what is claimed again and again must not make room for more problems. */
  private synchronized void forget(TaskId task, SetName set) {
    Problems known = problems.get(task);
    if (known != null && (known.kept() == null || set.compareTo(known.kept()) > 0)) {
      problems.put(task, new Problems(known.attempt(), set, 0));
    }
  }

  private Optional<CheckpointFact> kept(TaskId task, SetName set, Kept report) {
    Optional<String> possible = checkpoints.kept(task, set, name(report.getKept()));
    possible.ifPresent(place -> forget(task, set));
    return possible.map(
        place ->
            new CheckpointFact.Kept(
                task,
                set.toString(),
                set.number(),
                report.getStep(),
                checkpoints.keepers(),
                false,
                Math.max(0, report.getBytes()),
                Math.max(0, report.getTookMs()),
                report.hasNamedMs() ? named(report.getNamedMs()) : clock.instant(),
                Beginning.of(report.getPath(), MOST_PATH),
                place,
                report.hasAskedMs() ? Instant.ofEpochMilli(report.getAskedMs()) : null));
  }

  /** By the clock of another node. */
  private Instant named(long millis) {
    Instant now = clock.instant();
    long oldest = now.minus(OLDEST).toEpochMilli();
    return Instant.ofEpochMilli(Math.max(oldest, Math.min(millis, now.toEpochMilli())));
  }

  /** The last part of a path; empty where it is no name that is kept, as of a folder of all. */
  private static String name(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    boolean plain =
        PLAIN.matcher(name).matches()
            && !name.equals(".")
            && !name.equals("..")
            && name.getBytes(StandardCharsets.UTF_8).length <= MOST_NAME_BYTES;
    return plain ? name : "";
  }

  private void offer(CheckpointFact fact) {
    sink.offer(new Event.CheckpointTold(clock.instant(), fact));
  }
}
