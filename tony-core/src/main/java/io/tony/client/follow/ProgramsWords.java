package io.tony.client.follow;

import io.tony.fact.JobDescription;
import io.tony.model.JobEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Keeps what the programs of a job have left, the ends of their stderr and their outputs, from
 * filling its log: ten thousand tasks that fail have much to say, and nobody reads the log of the
 * last of them for that. The event log has all of it. Outputs leave the room of stderr alone, which
 * tells why a job failed.
 */
final class ProgramsWords {
  /** Characters of all events of a job: of their stderr, and of their outputs. */
  static final int MOST = 1024 * 1024;

  private int errors;
  private int outputs;

  /**
   * The event, without what a program left when too much of that was told before, and without the
   * job's options: Azkaban shows them beside the log, and other readers of it need not see them.
   */
  JobEvent within(JobEvent event) {
    if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      return event; // most events of a long job; it holds one line
    }
    Map<String, String> told = new LinkedHashMap<>(event.details());
    if (event.type() == JobEvent.Type.JOB_DESCRIBED) {
      told.keySet().removeIf(name -> name.startsWith(JobDescription.OPTION));
    }
    errors = within(errors, told, name -> name.equals("stderr"));
    outputs = within(outputs, told, name -> name.startsWith("output."));
    return told.size() == event.details().size()
        ? event
        : new JobEvent(event.time(), event.type(), event.session(), event.task(), told);
  }

  /** Removes what there is no room for; returns how much of it is told then. */
  private static int within(int before, Map<String, String> details, Predicate<String> which) {
    Map<String, String> words = new LinkedHashMap<>(details);
    words.keySet().removeIf(which.negate());
    int after = before + characters(words);
    if (after <= MOST) {
      return after;
    }
    details.keySet().removeAll(words.keySet());
    return before;
  }

  private static int characters(Map<String, String> details) {
    return details.entrySet().stream()
        .mapToInt(detail -> detail.getKey().length() + detail.getValue().length())
        .sum();
  }
}
