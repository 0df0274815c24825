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
import org.jspecify.annotations.Nullable;

/**
 * Summary of a job, computed from its events. {@code docs/history.md} describes the fields. Unknown
 * texts are empty; other unknown values are null.
 *
 * @param step the step in Azkaban; {@link JobDescription.AzkabanStep#NONE} outside Azkaban
 * @param kind kind of the failure; null while the job runs and after a success
 * @param submitted time of the submission; null if YARN did not report it
 * @param started start of the first ApplicationMaster; null if no event was recorded
 * @param ended end of the job; null while the job runs, and if its end was not recorded
 * @param restarts number of restarts of tasks and of the gang
 * @param queueWait time from the submission until the gang first ran; null if it never ran
 * @param outputs numeric outputs of the programs by name; the last value of each
 * @param peakMemoryMiB maximum memory use of one task in MiB, by role
 * @param progress last progress that a program reported
 * @param fraction {@code progress} as a number from 0 to 1; null if the text contains no such
 *     number
 * @param goodput share of the job's time whose training result was kept, from 0 to 1; null if
 *     unknown
 * @param viewers users and groups who may see the job, in the format of {@code
 *     tony.application.view-acls}
 */
public record JobSummary(
    String application,
    String user,
    String queue,
    String name,
    String framework,
    JobDescription.AzkabanStep step,
    Status status,
    @Nullable FailureKind kind,
    String message,
    @Nullable Instant submitted,
    @Nullable Instant started,
    @Nullable Instant ended,
    int tasks,
    int restarts,
    @Nullable Duration queueWait,
    Map<String, Double> outputs,
    Map<String, Long> peakMemoryMiB,
    String progress,
    @Nullable Double fraction,
    @Nullable Double goodput,
    String viewers) {

  /** State of a job. */
  public enum Status {
    /** The end of the job is not recorded, and an ApplicationMaster may still continue the job. */
    RUNNING,
    SUCCEEDED,
    FAILED,
    KILLED,
    /**
     * The end of the job is not recorded, and no ApplicationMaster writes to its event log any
     * more.
     */
    LOST;

    static Status of(JobResult.Status status) {
      return switch (status) {
        case SUCCEEDED -> SUCCEEDED;
        case FAILED -> FAILED;
        case KILLED -> KILLED;
      };
    }
  }

  /**
   * Maximum number of characters of a message or progress text; a hundred thousand of these texts
   * are kept in memory.
   */
  static final int MAX_TEXT_CHARS = 400;

  /** Memory of a summary without its texts, in bytes. */
  private static final int BASE_BYTES = 600;

  static final int ENTRY_BYTES = 120;

  /**
   * Last character of Latin-1. Java stores a text without later characters in one byte per
   * character, any other text in two bytes per character.
   */
  private static final int LAST_LATIN_CHAR = 0xff;

  /**
   * Times from this one on are implausible and count as unknown. A log can contain any time, and
   * the duration between such times might overflow.
   */
  private static final Instant MAX_TIME = Instant.parse("2200-01-01T00:00:00Z");

  static boolean isPlausible(Instant time) {
    return !time.isBefore(Instant.EPOCH) && time.isBefore(MAX_TIME);
  }

  private static @Nullable Instant plausible(@Nullable Instant time) {
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
    // Many jobs share these values, so each value is stored only once.
    user = user.intern();
    queue = queue.intern();
    name = name.intern();
    framework = framework.intern();
    message = message.intern();
    viewers = viewers.intern();
    outputs = Map.copyOf(outputs);
    peakMemoryMiB = Map.copyOf(peakMemoryMiB);
  }

  /**
   * Returns when the job was submitted; if unknown, when it started; {@link Instant#EPOCH} if both
   * are unknown.
   */
  public Instant begin() {
    return submitted != null ? submitted : started != null ? started : Instant.EPOCH;
  }

  /**
   * Returns the time from the begin of the job to its end; while it runs, to {@code now}. Null if
   * the begin is unknown or the job was lost.
   */
  public @Nullable Duration duration(Instant now) {
    Instant end = status == Status.RUNNING ? now : ended;
    return end == null || begin().equals(Instant.EPOCH) ? null : Duration.between(begin(), end);
  }

  /** Returns a copy with the status {@code LOST}, the message {@code why} and no end time. */
  public JobSummary asLost(String why) {
    return with(Status.LOST, FailureKind.AM_LOST, why, null);
  }

  /**
   * Returns a copy with the end and the result of the job, for a job whose log does not contain
   * them; another source reports them.
   */
  public JobSummary withEnd(JobResult result, Instant at) {
    return with(
        Status.of(result.status()),
        result.kind(),
        Strings.truncate(result.message(), MAX_TEXT_CHARS),
        at);
  }

  private JobSummary with(
      Status newStatus,
      @Nullable FailureKind newKind,
      String newMessage,
      @Nullable Instant newEnd) {
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

  /**
   * Returns the approximate memory size in bytes, as if no text were shared with other summaries.
   */
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

  /** Returns the Azkaban project, flow and job; outside Azkaban, the name of the job. */
  public String title() {
    String title =
        Stream.of(step.project(), step.flow(), step.job())
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("/"));
    return title.isEmpty() ? name : title;
  }
}
