package io.tony.cluster;

import io.tony.checkpoint.CheckpointName;
import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What an application's event log tells of the starts of its gang. */
record ToldStarts(List<JobEvent> events) {

  Stream<JobEvent> all(JobEvent.Type type) {
    return events.stream().filter(event -> event.type() == type);
  }

  /** The present start, from 0. */
  int session() {
    return session(event -> true);
  }

  /** The start in which a task was this attempt. */
  int session(int attempt) {
    return session(event -> Integer.parseInt(event.detail("attempt")) <= attempt);
  }

  private int session(Predicate<JobEvent> before) {
    return Math.toIntExact(all(JobEvent.Type.GANG_RESTARTED).filter(before).count());
  }

  /** The process ids of all its programs; none while some are not started. */
  List<Long> programs() {
    Map<TaskId, Long> programs = new TreeMap<>();
    all(JobEvent.Type.TASK_STARTED)
        .filter(event -> event.session() == session())
        .forEach(event -> programs.put(event.task(), Long.valueOf(event.detail("pid"))));
    return programs.size() == tasks() ? List.copyOf(programs.values()) : List.of();
  }

  /** How many the gang has; 0 as long as nobody says. */
  int tasks() {
    int tasks = 0;
    for (JobEvent event : events) {
      switch (event.type()) {
        case AM_STARTED -> tasks = Integer.parseInt(event.detail("tasks"));
        case GANG_RESIZED -> tasks = Integer.parseInt(event.detail("instances"));
        default -> {}
      }
    }
    return tasks;
  }

  long failures(FailureKind kind) {
    return all(JobEvent.Type.TASK_FAILED)
        .filter(event -> event.detail("kind").equals(kind.name()))
        .count();
  }

  /** How often containers were given back that YARN was going to take. */
  long givenBack() {
    return all(JobEvent.Type.GANG_RESTARTED)
        .filter(event -> event.detail("kind").equals(FailureKind.PREEMPTED.name()))
        .filter(event -> event.detail("charged").equals("nobody"))
        .count();
  }

  /** Whether the ApplicationMaster of this number, from 1, has told of a checkpoint. */
  boolean isKeptUnder(long master) {
    long masters = 0;
    for (JobEvent event : events) {
      masters += event.type() == JobEvent.Type.AM_STARTED ? 1 : 0;
      if (masters >= master && event.type() == JobEvent.Type.TASK_CHECKPOINT) {
        return true;
      }
    }
    return false;
  }

  /** The checkpoints from which a gang can go on. */
  List<CheckpointName> kept() {
    return kept(events.stream());
  }

  /** Those that were told before the programs of a start were: it can choose each of them. */
  List<CheckpointName> keptBefore(int session) {
    return kept(
        events.stream()
            .takeWhile(
                event -> event.type() != JobEvent.Type.GANG_RUNNING || event.session() < session));
  }

  private static List<CheckpointName> kept(Stream<JobEvent> events) {
    return events
        .filter(event -> event.type() == JobEvent.Type.TASK_CHECKPOINT)
        .filter(event -> event.detail("whole").equals("true"))
        .map(event -> CheckpointName.parse(event.detail("set")).orElseThrow())
        .toList();
  }
}
