package io.tony.am.usage;

import io.tony.event.ResizeFact;
import io.tony.event.UsageSubject;
import io.tony.metrics.ReportedProgress;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import io.tony.model.TaskId;
import io.tony.model.TaskUsage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What each task of the job uses, as its executor samples it. A task has a place of its own here
 * from the beginning, so that a sample costs the same however many tasks there are. It adds up over
 * all attempts of a task, as far as this ApplicationMaster hears of them: an earlier one's means
 * are lost with it, while an executor's samples tell the peak of its program's whole run.
 *
 * <p>For any number of threads.
 */
public final class Metrics {
  /** Of a role with more tasks, three stand for all. */
  private static final int MAX_TASKS = 32;

  /**
   * What an executor saw.
   *
   * @param span of time for which {@code use} stands
   * @param peakMiB the most memory that the program has used in its run so far
   * @param executorMiB resident memory of the executor itself, which is in the same container
   */
  public record Sample(TaskUsage use, Duration span, long peakMiB, long executorMiB) {}

  /** One task so far; guarded by itself. */
  private static final class TaskMeter {
    TaskUsage use; // null before the first sample
    long sampledAtMillis;
    long peakMiB; // of the container: the program and its executor
    double millis;
    double coreMillis;
    double gpuMillis;
    double gpuPercentMillis;
    ReportedProgress progress; // null before this start of its program told anything
    long progressAtMillis;
    int lineCount;
    int restartCount;

    synchronized void add(Sample sample, long nowMillis) {
      use = sample.use();
      sampledAtMillis = nowMillis;
      peakMiB = Math.max(peakMiB, sample.peakMiB() + sample.executorMiB());
      long span = sample.span().toMillis();
      millis += span;
      coreMillis += use.cores() * span;
      if (use.gpus() != null) {
        gpuMillis += span;
        gpuPercentMillis += (double) use.gpus().percent() * span;
      }
    }

    synchronized void recordProgress(ReportedProgress next, long nowMillis) {
      restartCount += progress != null && next.done() < progress.done() ? 1 : 0;
      progress = next;
      progressAtMillis = nowMillis;
      lineCount++;
    }

    /** What the program before told is not where the new one stands. */
    synchronized void recordRestart() {
      progress = null;
      restartCount++;
    }

    synchronized UsageReading reading() {
      return new UsageReading(
          new UsageReading.Sums(millis, coreMillis, gpuMillis, gpuPercentMillis),
          progress,
          progressAtMillis,
          lineCount,
          restartCount);
    }

    /** Null where nothing was heard since. */
    synchronized TaskUsage useSince(long sinceMillis) {
      return sampledAtMillis >= sinceMillis ? use : null;
    }

    synchronized RoleUsage.TaskTotals totals() {
      return new RoleUsage.TaskTotals(
          Duration.ofMillis(Math.round(millis)),
          peakMiB,
          millis > 0 ? coreMillis / millis : 0,
          gpuMillis > 0 ? gpuPercentMillis / gpuMillis : Double.NaN);
    }
  }

  /** The tasks that a role has at most; those from {@code size} on are not there. */
  private static final class RoleMeter {
    final List<TaskMeter> tasks;
    volatile int size;

    RoleMeter(int maxTasks) {
      tasks = IntStream.range(0, maxTasks).mapToObj(i -> new TaskMeter()).toList();
      size = maxTasks;
    }
  }

  private record NamedUsage(String task, TaskUsage use) {}

  private final Map<String, RoleMeter> byRole = new LinkedHashMap<>();
  private final InstantSource clock;

  public Metrics(JobSpec job, InstantSource clock) {
    this.clock = clock;
    for (RoleSpec role : job.roles()) {
      byRole.put(role.name(), new RoleMeter(role.instances()));
    }
  }

  /** Takes a sample; one of a task that the job does not have, or no more, is passed over. */
  public void recordSample(TaskId id, Sample sample) {
    TaskMeter task = meter(id);
    if (task != null) {
      task.add(sample, clock.millis());
    }
  }

  /** Takes the last line that a program wrote of its progress. */
  public void recordProgress(TaskId id, String text) {
    TaskMeter task = meter(id);
    if (task != null) {
      ReportedProgress.parse(text)
          .ifPresent(progress -> task.recordProgress(progress, clock.millis()));
    }
  }

  /** Its program is started, or about to be: how far it is, is not known before it says so. */
  void recordRestart(TaskId id) {
    TaskMeter task = meter(id);
    if (task != null) {
      task.recordRestart();
    }
  }

  /** Null for a task that the job does not have. */
  private TaskMeter meter(TaskId id) {
    RoleMeter role = byRole.get(id.role());
    return role != null && id.index() < role.size ? role.tasks.get(id.index()) : null;
  }

  /**
   * A role has another number of tasks. What those used that are gone is not forgotten: it tells
   * what the role needs.
   */
  void resize(ResizeFact.Resized fact) {
    RoleMeter role = byRole.get(fact.role());
    if (role != null) {
      role.size = Math.min(fact.instances(), role.tasks.size());
      role.tasks.subList(role.size, role.tasks.size()).forEach(TaskMeter::recordRestart);
    }
  }

  /** How many tasks each role has now. */
  Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new LinkedHashMap<>();
    byRole.forEach((name, role) -> sizes.put(name, role.size));
    return sizes;
  }

  /** Where each task of a role stands, by index. */
  List<UsageReading> readings(String role) {
    return byRole.get(role).tasks.stream().map(TaskMeter::reading).toList();
  }

  /**
   * The details of a METRICS event: of the tasks that were heard of lately, and so run; nothing
   * where there are none.
   *
   * @param maxAge how old a sample may be
   */
  public Map<String, String> details(Duration maxAge) {
    long sinceMillis = clock.millis() - maxAge.toMillis();
    Map<String, String> details = new LinkedHashMap<>();
    byRole.forEach(
        (role, meter) -> {
          List<NamedUsage> running = new ArrayList<>();
          for (int i = 0; i < meter.size; i++) {
            TaskUsage use = meter.tasks.get(i).useSince(sinceMillis);
            if (use != null) {
              running.add(new NamedUsage(role + ":" + i, use));
            }
          }
          for (NamedUsage named :
              meter.tasks.size() > MAX_TASKS ? minMedianMax(role, running) : running) {
            details.put(named.task(), named.use().toString());
          }
        });
    return details;
  }

  private static List<NamedUsage> minMedianMax(String role, List<NamedUsage> tasks) {
    if (tasks.isEmpty()) {
      return List.of();
    }
    tasks.sort(Comparator.comparingLong(task -> task.use().memoryMiB()));
    int last = tasks.size() - 1;
    return List.of(
        new NamedUsage(UsageSubject.MIN.of(role), tasks.get(0).use()),
        new NamedUsage(UsageSubject.MEDIAN.of(role), tasks.get(last / 2).use()),
        new NamedUsage(UsageSubject.MAX.of(role), tasks.get(last).use()));
  }

  /** What the tasks of each role have used so far. */
  Map<String, RoleUsage> roles() {
    Map<String, RoleUsage> roles = new LinkedHashMap<>();
    byRole.forEach(
        (name, role) ->
            roles.put(name, RoleUsage.of(role.tasks.stream().map(TaskMeter::totals).toList())));
    return roles;
  }
}
