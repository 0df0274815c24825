package io.tony.client.output;

import io.tony.event.JobDescription;
import io.tony.model.JobEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Limits how much stderr and how many outputs of the user's programs reach the job's log through
 * events, because ten thousand failing tasks would fill it. The event log contains both in full.
 * Outputs have a limit of their own, so that they do not use up the limit of stderr, which explains
 * failures.
 */
public final class ProgramOutputCap {
  /**
   * Maximum number of characters of stderr in all events of a job together; the same limit applies
   * to outputs.
   */
  static final int MAX_CHARS = 1024 * 1024;

  private int stderrChars;
  private int outputChars;

  /**
   * Returns the event without its stderr if stderr would exceed its limit, and without its outputs
   * if they would exceed theirs. Also removes the job's options, because not every reader of the
   * log should see them; Azkaban shows them elsewhere.
   */
  public JobEvent cap(JobEvent event) {
    if (event.type() == JobEvent.Type.TASK_PROGRESS) {
      return event; // shortcut for most events of a long job, which contain one line each
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
   * Removes the entries of {@code details} whose keys match {@code which}, if they would exceed the
   * limit.
   *
   * @param charsBefore number of characters of such entries in earlier events
   * @return the number of characters of such entries kept so far, including this event's
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
