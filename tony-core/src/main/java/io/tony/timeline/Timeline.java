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

/**
 * Where the time of a job went.
 *
 * @param begin the first moment that is known
 * @param end the last: of a job that runs on, until when it is known to
 * @param result null where the events tell none
 * @param running whether YARN shows it as alive, and nothing tells its end
 * @param tasks how many the job has, by its ApplicationMaster; 0 before that said it
 * @param phases from begin to end, without a gap
 * @param goodput as the ApplicationMaster recorded it at the job's end; else, until the end here
 * @param marks in order
 * @param attempts the starts of the tasks that ever had a container, task by task
 * @param remarks what is not known, or corrected, each in a sentence
 */
public record Timeline(
    Instant begin,
    Instant end,
    JobResult result,
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
   * The timeline of a job whose events are in the order of its log. It may be a part of them: of a
   * job that runs, or of a log that was cut. What does not make sense is passed over.
   *
   * @throws IllegalArgumentException when neither the events nor YARN tell any moment
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
    attempts.sort(Comparator.comparing(TaskAttempt::task)); // stable: start by start
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
   * @param truncated whether the job is over, and no event tells how it ended
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
   * For whoever reads a log: false for what no timeline needs, which is most of the log of a job of
   * weeks. Of a job's progress the first of each session is told, and then so much that the end of
   * a log without an end is about right.
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

  /** Those that this version knows, and that are whole. */
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

  /** How long each stage took, all times that it came together; only those that came. */
  public Map<Stage, Duration> byStage() {
    Map<Stage, Duration> sums = new EnumMap<>(Stage.class);
    for (Span span : phases) {
      sums.merge(span.stage(), span.duration(), Duration::plus);
    }
    return sums;
  }

  /** How many tasks ever had a container. */
  public int allocatedTaskCount() {
    return Math.toIntExact(attempts.stream().map(TaskAttempt::task).distinct().count());
  }
}
