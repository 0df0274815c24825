package io.tony.client.follow;

import io.tony.fact.CheckpointFact;
import io.tony.model.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/**
 * Tells a person from where a gang goes on, and which checkpoints are kept: one line a minute at
 * most, when all tasks have kept theirs. What is not kept is told each time, as far as there is
 * room.
 */
final class CheckpointNarrator {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** The event log has all of them. */
  private static final int TOLD_PROBLEMS = 20;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

  private final JobLog out;
  private final boolean verbose;
  private final ZoneId zone;
  private Instant told; // the last that was kept; null before
  private int problems;

  /** {@code zone} is that of the times in the lines. */
  CheckpointNarrator(JobLog out, boolean verbose, ZoneId zone) {
    this.out = out;
    this.verbose = verbose;
    this.zone = zone;
  }

  void resumes(JobEvent event) {
    CheckpointFact.Resumes fact = CheckpointFact.Resumes.of(event);
    String who = fact.task() == null ? "" : fact.task() + " ";
    if (fact.from() == null) {
      out.println(who + "starts clean: " + fact.clean());
      return;
    }
    CheckpointFact.Source from = fact.from();
    String maker = from.maker().isEmpty() ? "" : from.maker() + ", ";
    out.println(
        who
            + "resumes from "
            + from.words()
            + " (kept "
            + time(from.made(), event.time())
            + " by "
            + maker
            + from.application()
            + ")");
  }

  /** Of another day with its date. */
  private String time(Instant made, Instant now) {
    LocalDateTime at = LocalDateTime.ofInstant(made, zone);
    boolean today = at.toLocalDate().equals(LocalDateTime.ofInstant(now, zone).toLocalDate());
    return (today ? TIME : DAY).format(at);
  }

  void kept(JobEvent event) {
    CheckpointFact.Kept fact = CheckpointFact.Kept.of(event);
    boolean due = told == null || Duration.between(told, event.time()).abs().compareTo(MINUTE) >= 0;
    if ((fact.whole() && due) || verbose) {
      told = event.time();
      out.println(
          beginning(fact)
              + Sizes.text(fact.bytes())
              + " in "
              + Durations.text(Duration.ofMillis(fact.tookMs()))
              + "): "
              + fact.kept());
    }
  }

  /** Up to the size. One of several tasks has kept its part, or was the last of them. */
  private static String beginning(CheckpointFact.Kept fact) {
    String what = (fact.step() ? "checkpoint of step " : "checkpoint ") + fact.number();
    if (fact.tasks() == 1) {
      return what + " is kept (";
    }
    return fact.whole()
        ? what + " is kept by all " + fact.tasks() + " tasks (the last: " + fact.task() + ", "
        : fact.task() + " has kept its " + what + " (";
  }

  void notKept(CheckpointFact.NotKept fact) {
    problems++;
    if (problems <= TOLD_PROBLEMS || verbose) {
      out.println(
          "the checkpoint "
              + fact.path()
              + " of "
              + fact.task()
              + " is not kept: "
              + fact.problem());
    } else if (problems == TOLD_PROBLEMS + 1) {
      out.println("more checkpoints are not kept; -v or the event log tells which");
    }
  }
}
