package io.tony.client.narrate;

import io.tony.client.output.DurationText;
import io.tony.client.output.JobLog;
import io.tony.client.output.SizeText;
import io.tony.event.CheckpointFact;
import io.tony.model.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * Prints the checkpoint from which the gang or a task resumes, and saved checkpoints: only those of
 * which all tasks have saved their parts, at most one per minute. Prints each checkpoint that could
 * not be saved, up to a limit. Verbose output is not limited.
 */
final class CheckpointNarrator {
  private static final Duration MIN_INTERVAL = Duration.ofMinutes(1);

  /**
   * Maximum number of printed lines about checkpoints that could not be saved; the event log
   * contains all such checkpoints.
   */
  private static final int MAX_NARRATED_PROBLEMS = 20;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private final JobLog out;
  private final boolean verbose;
  private final ZoneId zone;
  // When a saved checkpoint was last printed; null if none was.
  private @Nullable Instant lastPrintedAt;
  private int problemCount;

  /**
   * Creates a narrator.
   *
   * @param verbose whether to print every saved or failed checkpoint
   * @param zone time zone of the times in the lines
   */
  CheckpointNarrator(JobLog out, boolean verbose, ZoneId zone) {
    this.out = out;
    this.verbose = verbose;
    this.zone = zone;
  }

  void onResumed(JobEvent event) {
    CheckpointFact.ResumeDecision fact = CheckpointFact.ResumeDecision.of(event);
    String taskPrefix = fact.task() == null ? "" : fact.task() + " ";
    if (fact.from() == null) {
      out.println(taskPrefix + "starts clean: " + fact.cleanStartReason());
      return;
    }
    CheckpointFact.SourceCheckpoint from = fact.from();
    String maker = from.creator().isEmpty() ? "" : from.creator() + ", ";
    out.println(
        taskPrefix
            + "resumes from "
            + from.displayName()
            + " (kept "
            + time(from.createdAt(), event.time())
            + " by "
            + maker
            + from.application()
            + ")");
  }

  /**
   * Returns the time of day at which a checkpoint was saved, preceded by the date if that is not
   * the date of {@code now}.
   */
  private String time(Instant made, Instant now) {
    LocalDateTime at = LocalDateTime.ofInstant(made, zone);
    boolean today = at.toLocalDate().equals(LocalDateTime.ofInstant(now, zone).toLocalDate());
    return (today ? TIME : DAY).format(at);
  }

  void onSaved(JobEvent event) {
    CheckpointFact.CheckpointSaved fact = CheckpointFact.CheckpointSaved.of(event);
    boolean due =
        lastPrintedAt == null
            || Duration.between(lastPrintedAt, event.time()).abs().compareTo(MIN_INTERVAL) >= 0;
    if ((fact.completesSet() && due) || verbose) {
      lastPrintedAt = event.time();
      out.println(
          lineStart(fact)
              + SizeText.format(fact.bytes())
              + " in "
              + DurationText.format(Duration.ofMillis(fact.copyMs()))
              + "): "
              + fact.uri());
    }
  }

  /**
   * Returns the beginning of the line about a saved checkpoint; the caller appends the size, the
   * duration and the URI. For a job with several tasks, the line reports one task's part, or the
   * whole checkpoint if that part was the last one missing.
   */
  private static String lineStart(CheckpointFact.CheckpointSaved fact) {
    String checkpoint = (fact.isStep() ? "checkpoint of step " : "checkpoint ") + fact.number();
    if (fact.taskCount() == 1) {
      return checkpoint + " is kept (";
    }
    return fact.completesSet()
        ? checkpoint
            + " is kept by all "
            + fact.taskCount()
            + " tasks (the last: "
            + fact.task()
            + ", "
        : fact.task() + " has kept its " + checkpoint + " (";
  }

  void onNotSaved(CheckpointFact.CheckpointNotSaved fact) {
    problemCount++;
    if (problemCount <= MAX_NARRATED_PROBLEMS || verbose) {
      out.println(
          "the checkpoint "
              + fact.path()
              + " of "
              + fact.task()
              + " is not kept: "
              + fact.problem());
    } else if (problemCount == MAX_NARRATED_PROBLEMS + 1) {
      out.println("more checkpoints are not kept; -v or the event log names them");
    }
  }
}
