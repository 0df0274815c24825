package io.tony.timeline;

import io.tony.event.Fact;
import io.tony.event.UsageFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The timeline of a job: where its time went.
 *
 * @param begin the earliest known time
 * @param end the latest known time; for a running job, when the job was last known to run
 * @param result result of the job; null if the events do not contain it
 * @param running true if YARN reports the application as running and its end is not recorded
 * @param tasks number of tasks that the ApplicationMaster reported; 0 if unknown
 * @param phases stages of the job from {@code begin} to {@code end}, without gaps
 * @param goodput as recorded by the ApplicationMaster at the end of the job; if it recorded none,
 *     computed up to {@code end}
 * @param marks marks in the order of time
 * @param attempts attempts of the tasks that ever had a container, in the order of the tasks
 * @param remarks sentences for display about unknown or corrected data
 */
public record Timeline(
    Instant begin,
    Instant end,
    @Nullable JobResult result,
    boolean running,
    int tasks,
    List<Span> phases,
    UsageFact.Goodput goodput,
    List<Mark> marks,
    List<TaskAttempt> attempts,
    List<String> remarks) {

  private static final Duration PROGRESS_INTERVAL = Duration.ofMinutes(1);

  public Timeline {
    phases = List.copyOf(phases);
    marks = List.copyOf(marks);
    attempts = List.copyOf(attempts);
    remarks = List.copyOf(remarks);
  }

  /**
   * Computes the timeline of a job from its events in log order. The events may be incomplete,
   * because the job still runs or its log was cut. Unknown and malformed events are ignored, except
   * for a remark.
   *
   * @throws IllegalArgumentException if neither the events nor YARN provide any time
   */
  public static Timeline of(List<JobEvent> events, YarnTimes yarnTimes) {
    List<String> remarks = new ArrayList<>();
    List<JobEvent> usable = usableEvents(events, remarks);
    ClockAlignment clock = ClockAlignment.of(usable, yarnTimes, remarks);
    List<Span> spans = new ArrayList<>();
    JobPhases phases = clock.phases(spans::add);
    List<TaskAttempt> attempts = new ArrayList<>();
    TaskAttempts tasks = new TaskAttempts(attempts::add);
    Marks marks = new Marks();
    for (JobEvent event : clock.events()) {
      Fact fact = Fact.of(event).orElseThrow();
      tasks.add(event.time(), event.session(), fact);
      phases.add(event, fact, tasks);
      marks.add(event.time(), event.session(), fact);
    }
    Instant end = clock.end();
    JobResult result = phases.result();
    if (result == null && yarnTimes.finished() != null) {
      tasks.endAll(end);
      remarks.add(
          "the event log ends before the job does: YARN says when it was over, and nothing says"
              + " what happened until then");
    } else if (result == null && yarnTimes.lastSeen() == null) {
      remarks.add(
          "the event log does not tell the job's end, and YARN was not asked or does not know:"
              + " this is the time until the last event");
    }
    phases.end(end);
    attempts.addAll(tasks.open());
    // The sort is stable: attempts of one task stay in order.
    attempts.sort(Comparator.comparing(TaskAttempt::task));
    return new Timeline(
        clock.begin(),
        end,
        result,
        result == null && yarnTimes.finished() == null && yarnTimes.lastSeen() != null,
        phases.tasks(),
        spans,
        goodput(clock, result == null && yarnTimes.finished() != null),
        marks.all(),
        attempts,
        remarks);
  }

  /**
   * Computes the goodput from the events; {@code truncated} is true if the job is over without a
   * recorded end.
   */
  private static UsageFact.Goodput goodput(ClockAlignment clock, boolean truncated) {
    GoodputReducer reducer = new GoodputReducer(clock.begin());
    for (JobEvent event : clock.events()) {
      if (event.type() == JobEvent.Type.GOODPUT) {
        return UsageFact.Goodput.of(event);
      }
      reducer.add(event);
    }
    return truncated ? reducer.lostAt(clock.end()) : reducer.at(clock.end());
  }

  /**
   * Returns a filter for events while a log is read: false for events that a timeline does not
   * need, which are most events of a job that runs for weeks. The filter accepts the first progress
   * report of each session, and then one per minute, so that the last accepted event is close to
   * the end of a log that does not contain the job's end. The filter has state; use a new one for
   * each log.
   */
  public static Predicate<JobEvent> relevantEvents() {
    Map<Integer, Instant> progress = new HashMap<>();
    return event ->
        switch (event.type()) {
          case METRICS -> false;
          case TASK_PROGRESS -> {
            Instant last = progress.get(event.session());
            boolean due = last == null || !event.time().isBefore(last.plus(PROGRESS_INTERVAL));
            if (due) {
              progress.put(event.session(), event.time());
            }
            yield due;
          }
          default -> true;
        };
  }

  /**
   * Returns the events that this version of TonY knows and can parse. Adds a remark if there are
   * others.
   */
  private static List<JobEvent> usableEvents(List<JobEvent> events, List<String> remarks) {
    List<JobEvent> usable = new ArrayList<>();
    int skippedCount = 0;
    String why = "of a later version";
    for (JobEvent event : events) {
      try {
        if (Fact.of(event).isPresent()) {
          usable.add(event);
        } else {
          skippedCount++;
        }
      } catch (IllegalArgumentException e) {
        skippedCount++;
        why = e.getMessage();
      }
    }
    if (skippedCount > 0) {
      remarks.add(
          skippedCount
              + (skippedCount == 1 ? " event is" : " events are")
              + " passed over: "
              + why);
    }
    return usable;
  }

  public Duration duration() {
    return Duration.between(begin, end);
  }

  /** Returns the total duration of each stage in which the job was. */
  public Map<Stage, Duration> byStage() {
    Map<Stage, Duration> sums = new EnumMap<>(Stage.class);
    for (Span span : phases) {
      sums.merge(span.stage(), span.duration(), Duration::plus);
    }
    return sums;
  }

  /** Returns the number of tasks that ever had a container. */
  public int allocatedTaskCount() {
    return Math.toIntExact(attempts.stream().map(TaskAttempt::task).distinct().count());
  }
}
