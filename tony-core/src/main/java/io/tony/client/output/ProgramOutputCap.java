package io.tony.client.output;

import io.tony.event.JobDescription;
import io.tony.model.JobEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Limits how much stderr and output of a job's programs is written to its log: ten thousand failing
 * tasks would fill it. The event log contains everything. Outputs have a separate limit, so that
 * the stderr, which explains failures, always has room.
 */
public final class ProgramOutputCap {
  /** Maximum number of characters in all events of a job: of stderr, and of outputs. */
  static final int MAX_CHARS = 1024 * 1024;

  private int stderrChars;
  private int outputChars;

  /**
   * Returns the event, without stderr or outputs if their limit is reached, and without the job's
   * options, which Azkaban shows beside the log and other readers of the log need not see.
   */
  public JobEvent cap(JobEvent event) {
    if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      return event; // fast path: most events of a long job, with one line each
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

  /**
   * Removes the matching details if they exceed the limit; returns the total number of characters
   * used so far.
   */
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
