package io.tony.am.machine;

import io.tony.failure.FailureSignature;
import io.tony.metrics.ReportedProgress;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Failures that come again, by the log: where a task fails twice in a row in the same way at the
 * same step, it is not started again for that; and no job ends as hopeless for less.
 */
final class Futilities {
  private static final String CRASH = "139"; // by SIGSEGV
  private static final List<String> SIGNALS_OF_OTHERS = List.of("129", "130", "137", "143");

  /** As a reader of the log compares two; {@code chief} is empty where it does not matter. */
  private record Failure(
      String kind, String exitCode, String stderr, String step, Optional<ReportedProgress> chief) {}

  private final JobSpec job;
  private final Map<TaskId, Failure> last = new HashMap<>();

  /** Tasks whose last two attempts failed alike. */
  private final Set<TaskId> hopeless = new HashSet<>();

  private final Map<TaskId, Instant> begun = new HashMap<>();
  private Optional<ReportedProgress> chief = Optional.empty();

  /** The newest checkpoint that a gang can go on from, and which it was when a task failed. */
  private String whole = "";

  private long number = -1;
  private final Map<TaskId, Long> numbers = new HashMap<>();
  private final Set<TaskId> keepers = new HashSet<>();

  Futilities(JobSpec job) {
    this.job = job;
  }

  /** {@code before} is the state before the fact. */
  void note(JobState before, JobEvent fact) {
    switch (fact.type()) {
      case TASK_PROGRESS -> chief = ReportedProgress.parse(fact.detail("text"));
      case TASK_STARTED -> begun.putIfAbsent(fact.task(), fact.time());
      case TASK_CHECKPOINT -> {
        keepers.add(fact.task());
        if (fact.detail("whole").equals("true")) {
          newest(fact.detail("set"), fact.detail("number"));
        }
      }
      case GANG_RESUMES -> {
        if (fact.task() == null && !fact.detail("from").isEmpty()) {
          newest(fact.detail("from"), fact.detail("number"));
        }
      }
      case GANG_RESIZED -> {
        // In another gang a task may end in another way, unless it trains by itself.
        boolean joined = fact.details().containsKey("joins");
        boolean more = number(fact, "instances") > number(fact, "from");
        if (more || !joined) {
          forget(id -> !joined || job.role(id.role()).maxTaskRetries() == 0);
        }
      }
      case TASK_FAILED -> fail(before.tasks().get(fact.task()).isRunning(), fact);
      case TASK_RESTARTED -> {
        begun.remove(fact.task());
        forgetIfGrown(fact);
        require(!hopeless.contains(fact.task()), fact.task() + " starts again in vain");
        last.keySet() // it may be why the others had failed
            .removeIf(id -> !id.equals(fact.task()) && job.role(id.role()).maxTaskRetries() == 0);
        if (fact.task().equals(job.chief())) {
          chief = Optional.empty();
        }
      }
      case GANG_RESTARTED -> {
        begun.clear();
        forgetIfGrown(fact);
        require(!hopeless.contains(fact.task()), "the gang starts again in vain: " + fact);
        last.keySet().retainAll(Set.of(fact.task()));
        hopeless.clear();
        chief = Optional.empty();
      }
      default -> {}
    }
  }

  private static int number(JobEvent fact, String name) {
    return Integer.parseInt(fact.detail(name));
  }

  private void forget(Predicate<TaskId> which) {
    last.keySet().removeIf(which);
    hopeless.removeIf(which);
  }

  private void newest(String set, String itsNumber) {
    if (set.compareTo(whole) > 0) {
      whole = set;
      number = Long.parseLong(itsNumber);
    }
  }

  private void forgetIfGrown(JobEvent restart) {
    if (restart.detail("message").contains("; it starts again with ")) {
      last.remove(restart.task());
      hopeless.remove(restart.task());
    }
  }

  private void fail(boolean started, JobEvent fact) {
    Failure before = last.remove(fact.task());
    hopeless.remove(fact.task());
    Instant since = begun.remove(fact.task());
    boolean late =
        since != null
            && Duration.between(since, fact.time()).compareTo(FailureSignature.MAX_EARLY_RUN_TIME)
                >= 0;
    if (!started || !byItself(fact) || (late && fact.detail("step").isEmpty())) {
      return;
    }
    boolean alone =
        job.role(fact.task().role()).maxTaskRetries() > 0 && fact.detail("step").contains("(");
    Failure now =
        new Failure(
            fact.detail("kind"),
            fact.detail("exitCode"),
            fact.detail("stderr").replaceAll("record [0-9]+", "record"),
            fact.detail("step"),
            alone ? Optional.empty() : chief);
    last.put(fact.task(), now);
    // How far others come says nothing of a task that starts by itself.
    boolean others =
        job.role(fact.task().role()).maxTaskRetries() > 0 && !keepers.contains(fact.task());
    long reached = others ? -1 : number;
    Long reachedBefore = numbers.put(fact.task(), reached);
    boolean further = reachedBefore != null && reached > reachedBefore;
    if (now.equals(before) && !further && job.limits().retries().stopRepeatedFailures()) {
      hopeless.add(fact.task());
    }
  }

  private static boolean byItself(JobEvent fact) {
    return fact.detail("kind").equals("MEMORY")
        || (fact.detail("kind").equals("PROGRAM")
            && !fact.detail("exitCode").isEmpty()
            && !followsFromAnother(fact)
            && !SIGNALS_OF_OTHERS.contains(fact.detail("exitCode")));
  }

  /** A program that crashes does so for a reason of its own, whatever it says before. */
  private static boolean followsFromAnother(JobEvent fact) {
    return fact.detail("stderr").equals(SimulatedPrograms.CONSEQUENCE)
        && !fact.detail("exitCode").equals(CRASH);
  }

  void checkEnd(JobResult result) {
    Rule.LONG_IS_NOT_EARLY.require(
        !result.futile() || hopeless.contains(result.task()),
        () -> "another start might have helped: " + last);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
