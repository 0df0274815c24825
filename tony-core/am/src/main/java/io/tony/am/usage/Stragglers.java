package io.tony.am.usage;

import io.tony.event.Fact;
import io.tony.event.GangFact;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.event.UsageFact;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.Supervision;
import io.tony.model.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Finds the tasks that hold their gang up: those that are behind the other tasks of their role for
 * a long time. The job's events show which tasks run, and the readings of {@link Metrics} what the
 * tasks do.
 *
 * <p>Not thread-safe.
 */
public final class Stragglers {
  private static final int SAMPLES_PER_WINDOW = 6;
  private static final Duration MIN_WINDOW = Duration.ofSeconds(5);
  private static final int MAX_ADVICE = 3;

  private final Map<String, RoleStragglers> roles = new LinkedHashMap<>();

  /** Stragglers that were reported and have not recovered. */
  private final Map<TaskId, UsageFact.Straggler> active = new LinkedHashMap<>();

  private final Duration window;

  /**
   * Creates the search for stragglers in the roles of a job.
   *
   * @param interval sampling interval of each task
   */
  public Stragglers(JobSpec job, Duration interval) {
    Duration samples = interval.multipliedBy(SAMPLES_PER_WINDOW);
    window = samples.compareTo(MIN_WINDOW) > 0 ? samples : MIN_WINDOW;
    TaskId chief = job.chief();
    for (RoleSpec role : job.roles()) {
      // The tasks of an untracked role may do different work, so they are not compared.
      if (role.supervision() == Supervision.TRACKED && role.instances() > 1) {
        int index = chief.role().equals(role.name()) ? chief.index() : -1;
        roles.put(role.name(), new RoleStragglers(role.name(), role.instances(), index, window));
      }
    }
  }

  /** Returns the interval at which {@link #judge} must be called. */
  Duration window() {
    return window;
  }

  /** Returns the roles of which tasks are compared. */
  List<String> roles() {
    return List.copyOf(roles.keySet());
  }

  /**
   * Takes note of a fact of the job: a change of a task, a restart of the gang, a change of its
   * size, or a report about a straggler. Ignores all other facts.
   */
  void note(Fact fact) {
    if (fact instanceof UsageFact.Straggler change) {
      active.remove(change.task());
      if (!change.recovered()) {
        active.put(change.task(), change);
      }
      update(change.task(), roleStragglers -> roleStragglers.markReported(change.task().index()));
    } else if (fact instanceof TaskFact change) {
      update(change.task(), roleStragglers -> roleStragglers.note(change.task().index(), change));
    } else if (fact instanceof GangFact.Restarted) {
      roles.values().forEach(RoleStragglers::forgetAll);
    } else if (fact instanceof ResizeFact.Resized change) {
      active.keySet().removeIf(change::isGone);
      RoleStragglers roleStragglers = roles.get(change.role());
      if (roleStragglers != null) {
        roleStragglers.resize(change);
      }
    }
  }

  private interface RoleUpdate {
    void apply(RoleStragglers roleStragglers);
  }

  private void update(TaskId task, RoleUpdate update) {
    RoleStragglers roleStragglers = roles.get(task.role());
    if (roleStragglers != null) {
      update.apply(roleStragglers);
    }
  }

  /**
   * Returns the new stragglers, and those that have recovered since the last call.
   *
   * @param readings readings of the tasks by index, for each of the {@link #roles}
   */
  List<UsageFact.Straggler> judge(Instant now, Map<String, List<UsageReading>> readings) {
    List<UsageFact.Straggler> found = new ArrayList<>();
    roles.forEach(
        (role, roleStragglers) ->
            found.addAll(roleStragglers.judge(now, Objects.requireNonNull(readings.get(role)))));
    return found;
  }

  /** Returns advice about the stragglers that have not recovered, one sentence each. */
  List<String> advice() {
    return active.values().stream()
        .limit(MAX_ADVICE)
        .map(
            straggler ->
                straggler.message() + "; see what else runs on that node, and what differs there")
        .toList();
  }
}
