package io.tony.am.usage;

import io.tony.fact.Fact;
import io.tony.fact.GangFact;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.fact.UsageFact;
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

/**
 * Finds the tasks for which their gang waits: those that are steadily behind the others of their
 * role. It knows from the job's events who runs, and from {@link Metrics} what they do.
 *
 * <p>Not thread-safe.
 */
public final class Stragglers {
  private static final int SAMPLES_PER_WINDOW = 6;
  private static final Duration SHORTEST_WINDOW = Duration.ofSeconds(5);
  private static final int MOST_ADVICE = 3;

  private final Map<String, RoleWatch> roles = new LinkedHashMap<>();

  /** Those that were named and have not recovered. */
  private final Map<TaskId, UsageFact.Straggler> named = new LinkedHashMap<>();

  private final Duration window;

  /**
   * @param interval in which each task is sampled
   */
  public Stragglers(JobSpec job, Duration interval) {
    Duration samples = interval.multipliedBy(SAMPLES_PER_WINDOW);
    window = samples.compareTo(SHORTEST_WINDOW) > 0 ? samples : SHORTEST_WINDOW;
    TaskId chief = job.chief();
    for (RoleSpec role : job.roles()) {
      // Of the others, each task may have work of its own.
      if (role.supervision() == Supervision.TRACKED && role.instances() > 1) {
        int index = chief.role().equals(role.name()) ? chief.index() : -1;
        roles.put(role.name(), new RoleWatch(role.name(), role.instances(), index, window));
      }
    }
  }

  /** How often they are to be judged. */
  Duration window() {
    return window;
  }

  /** Roles whose tasks are compared. */
  List<String> roles() {
    return List.copyOf(roles.keySet());
  }

  /** What has become of the job. */
  void note(Fact fact) {
    if (fact instanceof UsageFact.Straggler of) {
      named.remove(of.task());
      if (!of.recovered()) {
        named.put(of.task(), of);
      }
      watch(of.task(), watch -> watch.named(of.task().index()));
    } else if (fact instanceof TaskFact of) {
      watch(of.task(), watch -> watch.note(of.task().index(), of));
    } else if (fact instanceof GangFact.Restarted) {
      roles.values().forEach(RoleWatch::forgetAll);
    } else if (fact instanceof SizeFact.Resized of) {
      named.keySet().removeIf(of::isGone);
      RoleWatch watch = roles.get(of.role());
      if (watch != null) {
        watch.resized(of);
      }
    }
  }

  private interface Step {
    void with(RoleWatch watch);
  }

  private void watch(TaskId task, Step step) {
    RoleWatch watch = roles.get(task.role());
    if (watch != null) {
      step.with(watch);
    }
  }

  /**
   * Those who are behind, and those who no longer are, each once.
   *
   * @param readings of the tasks of each of the {@link #roles}
   */
  List<UsageFact.Straggler> judge(Instant now, Map<String, List<Reading>> readings) {
    List<UsageFact.Straggler> found = new ArrayList<>();
    roles.forEach((role, watch) -> found.addAll(watch.judge(now, readings.get(role))));
    return found;
  }

  /** What to do about those who were behind to the end, one sentence each. */
  List<String> advice() {
    return named.values().stream()
        .limit(MOST_ADVICE)
        .map(of -> of.message() + "; see what else runs on that node, and what differs there")
        .toList();
  }
}
