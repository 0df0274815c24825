package io.tony.am.machine;

import io.tony.model.FailureKind;
import io.tony.model.JobEvent;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskState;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * What a job has paid for its failures, by its log: never more than its budget, never twice for
 * what one cause took together, and all of it before it fails for good.
 */
final class Charges {
  private final Map<FailureKind, Integer> paid = new EnumMap<>(FailureKind.class);
  private final Map<TaskId, Integer> paidByRole = new HashMap<>();

  /** Since every executor was there last. */
  private final Map<FailureKind, Map<TaskId, Integer>> losses = new EnumMap<>(FailureKind.class);

  private final Map<FailureKind, Integer> paidForLosses = new EnumMap<>(FailureKind.class);

  /** {@code after} is the state after the fact. */
  void note(JobState after, JobEvent fact) {
    switch (fact.type()) {
      case TASK_FAILED -> lose(fact);
      case TASK_RESTARTED -> pay(fact, replaced(fact));
      // Of a gang whose programs run each loss is paid for, and what falls with it is not.
      case GANG_RESTARTED -> pay(fact, false);
      case FIRST_CAUSE -> {
        if (!fact.detail("refund").isEmpty()) {
          paid.merge(FailureKind.valueOf(fact.detail("refund")), -1, Integer::sum);
        }
      }
      case TASK_REGISTERED -> {
        if (after.tasks().stream().noneMatch(task -> isMissed(after, task))) {
          forget();
        }
      }
      case GANG_RUNNING -> forget(); // it goes on with those that are there
      default -> {}
    }
  }

  /** It has no executor yet; in gang mode also a sidecar, before all start together. */
  static boolean isMissed(JobState state, Task task) {
    boolean missing = task.state() == TaskState.REQUESTED || task.state() == TaskState.LAUNCHING;
    return missing && !(task.alone() && state.isOptional(state.role(task)));
  }

  private void forget() {
    losses.clear();
    paidForLosses.clear();
  }

  private void lose(JobEvent fact) {
    losses.computeIfAbsent(kind(fact), kind -> new HashMap<>()).merge(fact.task(), 1, Integer::sum);
  }

  private void pay(JobEvent fact, boolean ofLosses) {
    FailureKind kind = kind(fact);
    switch (fact.detail("charged")) {
      case "job" -> {
        paid.merge(kind, 1, Integer::sum);
        if (ofLosses && (kind == FailureKind.LOST || kind == FailureKind.PREEMPTED)) {
          int times = paidForLosses.merge(kind, 1, Integer::sum);
          int most = losses.get(kind).values().stream().mapToInt(Integer::intValue).max().orElse(0);
          require(times <= most, times + " payments for losses " + losses + ": " + fact);
        }
      }
      case "role" -> paidByRole.merge(fact.task(), 1, Integer::sum);
      case "incident", "nobody" -> {}
      default -> throw new AssertionError("who pays? " + fact);
    }
  }

  private static boolean replaced(JobEvent fact) {
    return fact.detail("replaced").equals("true");
  }

  /** MEMORY is paid for like PROGRAM. */
  private static FailureKind kind(JobEvent fact) {
    FailureKind kind = FailureKind.valueOf(fact.detail("kind"));
    return kind == FailureKind.MEMORY ? FailureKind.PROGRAM : kind;
  }

  void requireWithinBudget(JobSpec job) {
    for (FailureKind kind :
        new FailureKind[] {FailureKind.PROGRAM, FailureKind.LOST, FailureKind.PREEMPTED}) {
      int spent = paid.getOrDefault(kind, 0);
      require(spent <= budget(job, kind), spent + " payments for " + kind);
    }
    for (RoleSpec role : job.roles()) {
      paidByRole.forEach(
          (task, times) ->
              require(
                  !task.role().equals(role.name()) || times <= role.maxTaskRetries(),
                  task + " was started again " + times + " times"));
    }
  }

  /** A job that fails for such a failure had nothing left to pay with. */
  void requireSpent(JobSpec job, FailureKind kind) {
    FailureKind payer = kind == FailureKind.MEMORY ? FailureKind.PROGRAM : kind;
    if (payer == FailureKind.PROGRAM
        || payer == FailureKind.LOST
        || payer == FailureKind.PREEMPTED) {
      int left = budget(job, payer) - paid.getOrDefault(payer, 0);
      require(left == 0, "it fails with " + left + " more to pay for " + kind);
    }
  }

  private static int budget(JobSpec job, FailureKind kind) {
    return RetryBudget.of(job.limits().retries()).remaining(kind);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
