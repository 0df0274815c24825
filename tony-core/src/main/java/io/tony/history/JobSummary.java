package io.tony.history;

import io.tony.event.JobDescription;
import io.tony.model.FailureKind;
import io.tony.model.JobResult;
import io.tony.text.Strings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a job was, in a few lines: the fold of its events. {@code docs/history.md} describes the
 * fields. Texts are empty where they are not known; what is null is said below.
 *
 * @param step in Azkaban; {@link JobDescription.AzkabanStep#NONE} outside it
 * @param kind of its failure; null while it runs and when it succeeded
 * @param submitted null where YARN did not tell it
 * @param started when its first ApplicationMaster did; null where nothing is recorded
 * @param ended null while it runs, and when its end was not recorded
 * @param restarts of tasks and of the gang
 * @param queueWait from the submission until the gang ran first; null when it has not
 * @param outputs what its programs left that is a number, by name; the last of each
 * @param peakMemoryMiB of one task, by role
 * @param progress what a program told last of how far it is
 * @param fraction the same as a number from 0 to 1; null where it told none
 * @param goodput which part of its time trained and was kept, 0 to 1; null where that was not told
 * @param viewers whom its owner lets see it, as {@code tony.application.view-acls} has it
 */
public record JobSummary(
    String application,
    String user,
    String queue,
    String name,
    String framework,
    JobDescription.AzkabanStep step,
    Status status,
    FailureKind kind,
    String message,
    Instant submitted,
    Instant started,
    Instant ended,
    int tasks,
    int restarts,
    Duration queueWait,
    Map<String, Double> outputs,
    Map<String, Long> peakMemoryMiB,
    String progress,
    Double fraction,
    Double goodput,
    String viewers) {

  /** How it is with a job. */
  public enum Status {
    /** Its end is not recorded, and somebody may go on with it. */
    RUNNING,
    SUCCEEDED,
    FAILED,
    KILLED,
    /** Its end is not recorded, and nobody writes its log any more. */
    LOST;

    static Status of(JobResult.Status status) {
      return switch (status) {
        case SUCCEEDED -> SUCCEEDED;
        case FAILED -> FAILED;
        case KILLED -> KILLED;
      };
    }
  }

  /** Characters of a message or of a line of progress: a hundred thousand of them are kept. */
  static final int MAX_TEXT_CHARS = 400;

  /** What a summary takes without its texts, and an entry of a map without its name. */
  private static final int BASE_BYTES = 600;

  static final int ENTRY_BYTES = 120;

  /** The last character of which Java keeps texts in one byte each. */
  private static final int LAST_LATIN_CHAR = 0xff;

  /** A log is its owner's to forge: between later times, a duration need not fit a number. */
  private static final Instant MAX_TIME = Instant.parse("2200-01-01T00:00:00Z");

  static boolean isPlausible(Instant time) {
    return !time.isBefore(Instant.EPOCH) && time.isBefore(MAX_TIME);
  }

  private static Instant plausible(Instant time) {
    return time != null && isPlausible(time) ? time : null;
  }

  public JobSummary {
    submitted = plausible(submitted);
    started = plausible(started);
    ended = plausible(ended);
    if (queueWait != null
        && queueWait.abs().compareTo(Duration.between(Instant.EPOCH, MAX_TIME)) > 0) {
      queueWait = null;
    }
    // Many jobs have these in common.
    user = user.intern();
    queue = queue.intern();
    name = name.intern();
    framework = framework.intern();
    message = message.intern();
    viewers = viewers.intern();
    outputs = Map.copyOf(outputs);
    peakMemoryMiB = Map.copyOf(peakMemoryMiB);
  }

  /** When it began, as far as that is known; {@link Instant#EPOCH} where nothing is. */
  public Instant begin() {
    return submitted != null ? submitted : started != null ? started : Instant.EPOCH;
  }

  /** From its begin to its end, or until {@code now} while it runs; null for a lost one. */
  public Duration duration(Instant now) {
    Instant end = status == Status.RUNNING ? now : ended;
    return end == null || begin().equals(Instant.EPOCH) ? null : Duration.between(begin(), end);
  }

  /** The same job where its end is not recorded, and nobody knows when it was. */
  public JobSummary asLost(String why) {
    return with(Status.LOST, FailureKind.AM_LOST, why, null);
  }

  /** The same where somebody else knows how it ended, and when. */
  public JobSummary withEnd(JobResult result, Instant at) {
    return with(
        Status.of(result.status()),
        result.kind(),
        Strings.truncate(result.message(), MAX_TEXT_CHARS),
        at);
  }

  private JobSummary with(
      Status newStatus, FailureKind newKind, String newMessage, Instant newEnd) {
    return new JobSummary(
        application,
        user,
        queue,
        name,
        framework,
        step,
        newStatus,
        newKind,
        newMessage,
        submitted,
        started,
        newEnd,
        tasks,
        restarts,
        queueWait,
        outputs,
        peakMemoryMiB,
        progress,
        fraction,
        goodput,
        viewers);
  }

  /** About how many bytes of memory it takes, where it has no text in common with others. */
  int bytes() {
    int bytes = BASE_BYTES + user.length() + queue.length() + framework.length();
    bytes += bytes(name) + bytes(message) + bytes(progress) + bytes(viewers);
    bytes += bytes(step.project()) + bytes(step.flow()) + bytes(step.job());
    bytes += bytes(step.execution());
    for (String name : outputs.keySet()) {
      bytes += ENTRY_BYTES + bytes(name);
    }
    for (String role : peakMemoryMiB.keySet()) {
      bytes += ENTRY_BYTES + bytes(role);
    }
    return bytes;
  }

  static int bytes(String text) {
    boolean wide = text.chars().anyMatch(c -> c > LAST_LATIN_CHAR);
    return wide ? 2 * text.length() : text.length();
  }

  /** Where in Azkaban it comes from, or its name. */
  public String title() {
    String title =
        Stream.of(step.project(), step.flow(), step.job())
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("/"));
    return title.isEmpty() ? name : title;
  }
}
