package io.tony.azkaban.mini;

import azkaban.executor.Status;
import io.tony.azkaban.mini.Screen.Tone;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Shows a running flow on a {@link Screen}: each line of a job's log, after the job's name, each
 * change of a job's status and, on a terminal, a live line with the running jobs. Also stores the
 * last lines and the last link of each job's log for the {@link FlowReport}.
 */
final class FlowNarrator implements FlowListener {

  private static final int MAX_TAIL_LINES = 20;
  private static final Pattern LINK = Pattern.compile("https?://[^\\s\"'<>]+");
  private static final String MACHINE_LINE = "tony-events [";
  // Matches the lines with the command and the environment at the start of a process job's log.
  // Links in these lines are ignored.
  private static final Pattern PROCESS_SETUP_LINE =
      Pattern.compile("(Command|Environment variables): .*");

  private final Screen screen;
  private final InstantSource clock;
  private final Map<String, Status> statuses = new HashMap<>();
  private final Map<String, Tail> tails = new HashMap<>();
  private final Map<String, String> links = new HashMap<>();
  private int nameWidth;

  FlowNarrator(Screen screen, InstantSource clock) {
    this.screen = screen;
    this.clock = clock;
  }

  /**
   * Sets the names of the flow's jobs. The longest one determines the width of the column of names.
   */
  synchronized void begin(Collection<String> jobs) {
    jobs.forEach(job -> statuses.put(job, Status.READY));
    nameWidth = jobs.stream().mapToInt(String::length).max().orElse(0);
  }

  @Override
  public synchronized void jobLogged(LogLine line) {
    if (line.text().stripLeading().startsWith(MACHINE_LINE)) {
      return;
    }
    Tail tail = tails.get(line.job());
    if (tail == null || tail.attempt != line.attempt()) {
      // Forget the lines of the earlier attempt, because they do not explain the end of this one.
      tail = new Tail(line.attempt(), new ArrayDeque<>());
      tails.put(line.job(), tail);
    }
    tail.add(line.text());
    if (!PROCESS_SETUP_LINE.matcher(line.text()).matches()) {
      lastLink(line.text()).ifPresent(link -> links.put(line.job(), link));
    }
    screen.line(screen.tint(Tone.JOB, padded(line.job()) + " | ") + line.text());
  }

  @Override
  public synchronized void jobChanged(JobUpdate update) {
    statuses.put(update.job(), update.status());
    if (update.status() == Status.QUEUED && update.attempt() == 0) {
      return;
    }
    String attempt = update.attempt() == 0 ? "" : " (attempt " + (update.attempt() + 1) + ")";
    screen.line(
        screen.tint(Tone.JOB, padded(update.job()) + " * ")
            + screen.tint(tone(update.status()), update.status() + attempt));
  }

  /** Updates the live line: how many jobs have ended, and the running jobs. */
  synchronized void showRunning(List<RunningJob> running) {
    long ended = statuses.values().stream().filter(Status::isStatusFinished).count();
    String jobs =
        running.stream().map(this::describe).collect(Collectors.joining(", ", " running: ", ""));
    screen.live(
        screen.tint(
            Tone.FAINT,
            "["
                + ended
                + "/"
                + statuses.size()
                + " jobs ended]"
                + (running.isEmpty() ? "" : jobs)));
  }

  synchronized List<String> lastLines(String job) {
    Tail tail = tails.get(job);
    return tail == null ? List.of() : List.copyOf(tail.lines);
  }

  synchronized Optional<String> link(String job) {
    return Optional.ofNullable(links.get(job));
  }

  static Tone tone(Status status) {
    return switch (status) {
      case SUCCEEDED, FAILED_SUCCEEDED -> Tone.GOOD;
      case FAILED, FAILED_FINISHING, KILLED -> Tone.BAD;
      case CANCELLED, SKIPPED, DISABLED -> Tone.FAINT;
      case READY, PREPARING, RUNNING, PAUSED, QUEUED -> Tone.PLAIN;
    };
  }

  /** Formats a duration, such as {@code 0.4 s}, {@code 12 s} or {@code 3 min 05 s}. */
  static String text(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds >= 60) {
      return "%d min %02d s".formatted(seconds / 60, seconds % 60);
    }
    long tenths = duration.toMillis() / 100;
    return seconds >= 10 ? seconds + " s" : tenths / 10 + "." + tenths % 10 + " s";
  }

  private String describe(RunningJob job) {
    long seconds = Math.max(0, Duration.between(job.startedAt(), clock.instant()).toSeconds());
    String percent = job.progress() > 0 ? " " + Math.round(job.progress() * 100) + " %" : "";
    return job.job() + percent + " " + text(Duration.ofSeconds(seconds));
  }

  private String padded(String job) {
    return job + " ".repeat(Math.max(0, nameWidth - job.length()));
  }

  private static Optional<String> lastLink(String text) {
    Matcher matcher = LINK.matcher(text);
    String last = null;
    while (matcher.find()) {
      last = matcher.group();
    }
    // Punctuation at the end belongs to the sentence around the link.
    return Optional.ofNullable(last).map(link -> link.replaceAll("[.,;:!?)\\]]+$", ""));
  }

  /** The last lines of the log of one attempt of a job. */
  private record Tail(int attempt, Deque<String> lines) {
    void add(String line) {
      if (lines.size() == MAX_TAIL_LINES) {
        lines.removeFirst();
      }
      lines.addLast(line);
    }
  }
}
