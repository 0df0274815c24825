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
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The resource usage of the job's tasks, as sampled by their executors. A sample costs the same in
 * a job of any size. Sums cover all attempts of a task, since this ApplicationMaster started; the
 * sums of an earlier ApplicationMaster are lost. Peaks cover the whole run of a program, because
 * each sample contains the peak so far.
 *
 * <p>Thread-safe.
 */
public final class Metrics {
  /**
   * Number of tasks in a role above which METRICS events contain only three of them: those with the
   * minimum, the median and the maximum.
   */
  private static final int MAX_TASKS = 32;

  /**
   * One sample, taken by an executor.
   *
   * @param span period that {@code use} covers
   * @param peakMiB highest memory use of the program since its start, in MiB
   * @param executorMiB resident memory of the executor, which runs in the same container, in MiB
   */
  public record Sample(TaskUsage use, Duration span, long peakMiB, long executorMiB) {}

  /** Sums of one task. Guarded by its own monitor. */
  private static final class TaskMeter {
    @Nullable TaskUsage use; // null before the first sample
    long sampledAtMillis;
    long peakMiB; // highest memory use of the container: program and executor
    double millis;
    double coreMillis;
    double gpuMillis;
    double gpuPercentMillis;
    @Nullable ReportedProgress progress; // null until the current program reports progress
    long progressAtMillis;
    int lineCount;
    int restartCount;

    synchronized void add(Sample sample, long nowMillis) {
      TaskUsage now = sample.use();
      use = now;
      sampledAtMillis = nowMillis;
      peakMiB = Math.max(peakMiB, sample.peakMiB() + sample.executorMiB());
      long span = sample.span().toMillis();
      millis += span;
      coreMillis += now.cores() * span;
      if (now.gpus() != null) {
        gpuMillis += span;
        gpuPercentMillis += (double) now.gpus().percent() * span;
      }
    }

    synchronized void recordProgress(ReportedProgress next, long nowMillis) {
      restartCount += progress != null && next.done() < progress.done() ? 1 : 0;
      progress = next;
      progressAtMillis = nowMillis;
      lineCount++;
    }

    /** Drops the previous program's progress, which says nothing about the new program. */
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

    /**
     * Returns the usage in the last sample; null if there was no sample since {@code sinceMillis}.
     */
    synchronized @Nullable TaskUsage useSince(long sinceMillis) {
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

  /**
   * The meters of a role, one for each task that the role may ever have; those from index {@code
   * size} on are not in use.
   */
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

  /** Records a sample. Ignores tasks that the job does not have, or does not have any more. */
  public void recordSample(TaskId id, Sample sample) {
    TaskMeter task = meter(id);
    if (task != null) {
      task.add(sample, clock.millis());
    }
  }

  /** Records a progress line of a program. Ignores lines without progress. */
  public void recordProgress(TaskId id, String text) {
    TaskMeter task = meter(id);
    if (task != null) {
      ReportedProgress.parse(text)
          .ifPresent(progress -> task.recordProgress(progress, clock.millis()));
    }
  }

  /** Notes that the task's program starts again, or is about to, and has made no progress yet. */
  void recordRestart(TaskId id) {
    TaskMeter task = meter(id);
    if (task != null) {
      task.recordRestart();
    }
  }

  /** Returns the task's meter; null if the job does not have the task. */
  private @Nullable TaskMeter meter(TaskId id) {
    RoleMeter role = byRole.get(id.role());
    return role != null && id.index() < role.size ? role.tasks.get(id.index()) : null;
  }

  /**
   * Applies a change of a role's size. The usage of removed tasks is kept, because it shows what
   * the role needs.
   */
  void resize(ResizeFact.Resized fact) {
    RoleMeter role = byRole.get(fact.role());
    if (role != null) {
      role.size = Math.min(fact.instances(), role.tasks.size());
      role.tasks.subList(role.size, role.tasks.size()).forEach(TaskMeter::recordRestart);
    }
  }

  /** Returns the current number of tasks, by role. */
  Map<String, Integer> sizes() {
    Map<String, Integer> sizes = new LinkedHashMap<>();
    byRole.forEach((name, role) -> sizes.put(name, role.size));
    return sizes;
  }

  /** Returns the current readings of a role's tasks, by index. */
  List<UsageReading> readings(String role) {
    return Objects.requireNonNull(byRole.get(role)).tasks.stream().map(TaskMeter::reading).toList();
  }

  /**
   * Returns the details of a METRICS event: the usage of the tasks that were sampled recently,
   * which therefore run. Empty if there are none.
   *
   * @param maxAge maximum age of a sample
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

  /** Returns the usage so far, by role. */
  Map<String, RoleUsage> roles() {
    Map<String, RoleUsage> roles = new LinkedHashMap<>();
    byRole.forEach(
        (name, role) ->
            roles.put(name, RoleUsage.of(role.tasks.stream().map(TaskMeter::totals).toList())));
    return roles;
  }
}
