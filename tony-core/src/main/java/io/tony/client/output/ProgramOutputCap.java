package io.tony.client.output;

import io.tony.event.JobDescription;
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
public final class ProgramOutputCap {
  /** Characters of all events of a job: of their stderr, and of their outputs. */
  static final int MAX_CHARS = 1024 * 1024;

  private int stderrChars;
  private int outputChars;

  /**
   * The event, without what a program left when too much of that was told before, and without the
   * job's options: Azkaban shows them beside the log, and other readers of it need not see them.
   */
  public JobEvent cap(JobEvent event) {
    if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      return event; // most events of a long job; it holds one line
    }
    Map<String, String> remainingDetails = new LinkedHashMap<>(event.details());
    if (event.type() == JobEvent.Type.JOB_DESCRIBED) {
      remainingDetails.keySet().removeIf(name -> name.startsWith(JobDescription.OPTION_PREFIX));
    }
    stderrChars = cap(stderrChars, remainingDetails, name -> name.equals("stderr"));
    outputChars = cap(outputChars, remainingDetails, name -> name.startsWith("output."));
    return remainingDetails.size() == event.details().size()
        ? event
        : new JobEvent(event.time(), event.type(), event.session(), event.task(), remainingDetails);
  }

  /** Removes what there is no room for; returns how much of it is told then. */
  private static int cap(int charsBefore, Map<String, String> details, Predicate<String> which) {
    Map<String, String> matching = new LinkedHashMap<>(details);
    matching.keySet().removeIf(which.negate());
    int charsAfter = charsBefore + charCount(matching);
    if (charsAfter <= MAX_CHARS) {
      return charsAfter;
    }
    details.keySet().removeAll(matching.keySet());
    return charsBefore;
  }

  private static int charCount(Map<String, String> details) {
    return details.entrySet().stream()
        .mapToInt(detail -> detail.getKey().length() + detail.getValue().length())
        .sum();
  }
}
