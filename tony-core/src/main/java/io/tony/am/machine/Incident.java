package io.tony.am.machine;

import io.tony.fact.FirstCause;
import io.tony.fact.TaskFact;
import io.tony.failure.SecondaryFailure;
import io.tony.model.FailureKind;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.model.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A failure by which the gang was started again or the job ends, and what is known of its cause.
 * The tasks that run then end, too, and some of their reports come later, though they failed
 * earlier. The facts say what the first cause is; what is heard between two of them is as good as
 * lost with its ApplicationMaster.
 *
 * @param latest the failure that was noted last; null before the first
 * @param tasks of the gang that failed, RUNNING as long as nothing was heard of how they ended;
 *     null while there is no incident
 * @param gang which start of the gang that was
 * @param first what is taken for the first cause
 * @param words by which it is itself what another failure led to; empty where it does not say so
 * @param ended when that was; null when it is not known
 * @param charged whose budget has paid, where another may have to; null where that is settled
 * @param others what else has failed
 * @param told how often the log has named a cause
 * @param news whether it lacks what was heard since
 * @param pending failures of the present gang that wait for their cause, in the order of their
 *     reports
 */
record Incident(
    TaskFact.Failed latest,
    TaskTable tasks,
    int gang,
    TaskFact.Failed first,
    String words,
    Instant ended,
    FailureKind charged,
    FirstCause.Others others,
    int told,
    boolean news,
    List<TaskFact.Failed> pending) {
  /** Clocks of nodes differ; a failure must be earlier by more than that to have come first. */
  static final Duration CLEARLY = Duration.ofSeconds(1);

  static final Incident NONE = none(null);

  Incident {
    pending = List.copyOf(pending);
  }

  private static Incident none(TaskFact.Failed latest) {
    return new Incident(
        latest, null, 0, null, "", null, null, FirstCause.Others.NONE, 0, false, List.of());
  }

  /** A task has failed; what follows from that is not decided yet. */
  Incident noting(TaskFact.Failed failure) {
    return with(failure, pending).without(failure.task());
  }

  /** A program has failed; whether another task's end was why is not known yet. */
  Incident awaiting(TaskFact.Failed failure) {
    List<TaskFact.Failed> more = new ArrayList<>(pending);
    more.add(failure);
    return with(latest, more);
  }

  /** The task's failure is pending no longer. */
  Incident without(TaskId task) {
    return with(latest, pending.stream().filter(one -> !one.task().equals(task)).toList());
  }

  private Incident with(TaskFact.Failed nextLatest, List<TaskFact.Failed> nextPending) {
    return new Incident(
        nextLatest, tasks, gang, first, words, ended, charged, others, told, news, nextPending);
  }

  /**
   * The latest failure has taken this gang down, and is why those that are pending have failed.
   * {@code charged} is null where none can change.
   */
  Incident opened(TaskTable failed, int ofGang, FailureKind charged) {
    Incident opened = ofLatest(failed, ofGang, charged);
    for (TaskFact.Failed one : pending) {
      opened = opened.heardOf(failed.get(one.task())).and(one, SecondaryFailure.of(one));
    }
    return opened;
  }

  private Incident ofLatest(TaskTable failed, int ofGang, FailureKind charged) {
    return new Incident(
        latest,
        failed,
        ofGang,
        latest,
        SecondaryFailure.of(latest),
        null,
        charged,
        FirstCause.Others.NONE,
        0,
        false,
        List.of());
  }

  /** What ends now has another reason. */
  Incident closed() {
    return none(latest);
  }

  /** The task that the key names, where it belongs to the gang and its end was not heard of. */
  Task awaited(TaskKey key) {
    Task task = inContainer(key);
    return task != null && task.attempt() == key.attempt() ? task : null;
  }

  /** The same, whichever attempt the key names: its container has ended. */
  Task inContainer(TaskKey key) {
    if (tasks == null || !tasks.contains(key.task())) {
      return null;
    }
    Task task = tasks.get(key.task());
    return task.started() && task.container().equals(key.container()) ? task : null;
  }

  /** The task is awaited no longer. */
  Incident heardOf(Task task) {
    return with(tasks.with(task.in(TaskState.STOPPED)), ended, others, news);
  }

  /** The first failure ended at this instant. */
  Incident endedAt(Instant instant) {
    return with(tasks, instant, others, news);
  }

  /** Whether what is taken for the first cause is itself what another failure led to. */
  boolean follows() {
    return !words.isEmpty();
  }

  /**
   * Whether another failure is rather the first cause.
   *
   * @param its words by which it follows from another; empty where it does not
   * @param end when it was; null when that is not known
   */
  boolean isAfter(String its, Instant end) {
    boolean clearly = end != null && ended != null && end.plus(CLEARLY).isBefore(ended);
    return its.isEmpty() && (follows() || clearly);
  }

  /** This failure, which does not follow from another, came first. */
  Incident because(TaskFact.Failed failure, Instant end) {
    return new Incident(
        latest, tasks, gang, failure, "", end, charged, withTheFirst(), told, true, pending);
  }

  /** The log has told of the one that was taken for the first: it is the one to be named. */
  private FirstCause.Others withTheFirst() {
    return follows()
        ? new FirstCause.Others(
            first.task(), others.task() == null ? 0 : others.more() + 1, words, others.besides())
        : others.beside();
  }

  /** This failure did not come first. */
  Incident and(TaskFact.Failed failure, String its) {
    FirstCause.Others more = its.isEmpty() ? others.beside() : others.because(failure.task(), its);
    return with(tasks, ended, more, true);
  }

  /** The log names it now. */
  Incident told(FirstCause fact) {
    boolean settled = fact.refund().kind() != null;
    return new Incident(
        latest,
        tasks,
        gang,
        fact.failure(),
        SecondaryFailure.of(fact.failure()),
        fact.failure().equals(first) ? ended : null,
        settled ? null : charged,
        fact.others(),
        told + 1,
        false,
        pending);
  }

  private Incident with(
      TaskTable nextTasks, Instant nextEnded, FirstCause.Others nextOthers, boolean nextNews) {
    return new Incident(
        latest,
        nextTasks,
        gang,
        first,
        words,
        nextEnded,
        charged,
        nextOthers,
        told,
        nextNews,
        pending);
  }
}
