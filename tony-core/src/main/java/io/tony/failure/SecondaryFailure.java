package io.tony.failure;

import io.tony.event.TaskFact;
import io.tony.model.FailureKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells from the last words of a program whether it failed because another task of its job had
 * ended: by what the libraries print with which programs of a job talk to each other. A program
 * that lost its connection to somebody else says the same, so this only ever ranks one failure
 * below another.
 */
public final class SecondaryFailure {
  /** Illegal instruction, trap, bus error, arithmetic, kill by the kernel, bad address. */
  private static final Set<Integer> CRASH_SIGNALS = Set.of(4, 5, 7, 8, 9, 11);

  /** Characters of the words that are looked at: an end is near the end. */
  private static final int MAX_CHARS = 4_000;

  /** What Python prints after the failure, while it tidies up. */
  private static final Pattern CLEANUP = Pattern.compile("(?m)^Exception ignored in\\b");

  /** The line with which Python ends, and torch's name for the rank before it. */
  private static final Pattern EXCEPTION =
      Pattern.compile("(?m)^(\\[rank\\d+\\]:\\s*)?[A-Za-z_][\\w.]*(Error|Exception|Exit)(:|$)");

  /** Where torchrun says which of its programs failed first. */
  private static final Pattern TORCHRUN =
      Pattern.compile("Root Cause \\(first observed failure\\)[\\s\\S]*?exitcode\\s*:\\s*(-?\\d+)");

  private static final String TRACEBACK = "Traceback (most recent call last)";

  /** The first that is found names it. */
  private static final Map<String, List<Pattern>> PATTERNS_BY_REASON = patternsByReason();

  private SecondaryFailure() {}

  private static Map<String, List<Pattern>> patternsByReason() {
    Map<String, List<Pattern>> byReason = new LinkedHashMap<>();
    byReason.put(
        "a barrier timed out",
        patterns("failed to pass monitoredBarrier", "barrier timed out", "timed out in barrier"));
    byReason.put(
        "a collective operation timed out",
        patterns(
            "watchdog caught collective operation timeout",
            "some NCCL operations have failed or timed out",
            "timed out waiting \\d+ ?ms for (recv|send) operation",
            "application timeout caused pair closure"));
    byReason.put(
        "NCCL lost another rank",
        patterns(
            "ncclRemoteError",
            "ncclSystemError.*(remote|peer|socket|network)",
            "NCCL communicator was aborted",
            "remote process exit"));
    byReason.put(
        "the coordination service lost a task",
        patterns(
            "JAX distributed service detected fatal errors",
            "stopped sending heartbeats",
            "coordination ?service.*(disconnect|unavailable|shut ?down|error)",
            "leader task was preempted"));
    byReason.put(
        "connection closed by peer",
        patterns(
            "connection closed by (remote )?peer",
            "socket closed",
            "the other end is likely closed",
            "remote(ly)? (end|host)? ?closed",
            "failed to recv, got 0 bytes"));
    byReason.put(
        "connection reset by peer",
        patterns("connection (was )?reset", "ECONNRESET", "ConnectionResetError"));
    byReason.put("broken pipe", patterns("broken ?pipe", "EPIPE\\b"));
    byReason.put(
        "connection refused",
        patterns("connection ?refused", "ECONNREFUSED", "failed to connect to all addresses"));
    byReason.put(
        "Horovod was shut down", patterns("HorovodInternalError", "Horovod has been shut ?down"));
    byReason.put(
        "MPI lost a process",
        patterns(
            "noticed that process rank \\d+",
            "lost communication with (a |its )?(remote )?daemon",
            "Horovod detected that one or more processes exited"));
    byReason.put(
        "another task was unavailable", patterns("UnavailableError", "StatusCode.UNAVAILABLE"));
    byReason.put(
        "its programs were told to end", patterns("SignalException: Process \\d+ got signal"));
    return byReason;
  }

  private static List<Pattern> patterns(String... texts) {
    return List.of(texts).stream()
        .map(text -> Pattern.compile(text, Pattern.CASE_INSENSITIVE))
        .toList();
  }

  /** What another task's end did to this one; empty where its words do not say that. */
  public static String of(TaskFact.Failed failure) {
    return reasonIn(relevantText(failure));
  }

  /** The failure with no more of its stderr than the words that {@link #of} goes by. */
  public static TaskFact.Failed brief(TaskFact.Failed failure) {
    String text = relevantText(failure);
    String match =
        PATTERNS_BY_REASON.values().stream()
            .flatMap(List::stream)
            .map(pattern -> pattern.matcher(text))
            .filter(Matcher::find)
            .map(Matcher::group)
            .findFirst()
            .orElse("");
    return failure.withStderr(match);
  }

  private static String relevantText(TaskFact.Failed failure) {
    Integer code = failure.exitCode();
    if (failure.kind() != FailureKind.PROGRAM
        || code == null
        || CRASH_SIGNALS.contains(code - 128)) {
      return "";
    }
    String text = ProgramStderr.of(failure.stderr());
    Matcher torchrun = TORCHRUN.matcher(text);
    if (torchrun.find()) {
      if (CRASH_SIGNALS.contains(-parseExitCode(torchrun.group(1)))) {
        return "";
      }
      text = beforeTorchrun(text.substring(0, torchrun.start()));
    }
    return decisiveText(text);
  }

  /** Digits of a program's own: more of them than a number has are none. */
  private static int parseExitCode(String digits) {
    return digits.length() > 4 ? 0 : Integer.parseInt(digits);
  }

  /** What came before the words of torchrun itself, which ends with a trace of its own. */
  private static String beforeTorchrun(String text) {
    int own = text.lastIndexOf(TRACEBACK);
    return own < 0 ? "" : text.substring(0, own);
  }

  /** From the exception with which the program ended; all, where it did not end with one. */
  private static String decisiveText(String text) {
    Matcher cleanup = CLEANUP.matcher(text);
    String end = cleanup.find() ? text.substring(0, cleanup.start()) : text;
    int from = 0;
    for (Matcher exception = EXCEPTION.matcher(end); exception.find(); ) {
      from = exception.start();
    }
    return end.substring(Math.max(from, end.length() - MAX_CHARS));
  }

  private static String reasonIn(String text) {
    for (Map.Entry<String, List<Pattern>> entry : PATTERNS_BY_REASON.entrySet()) {
      if (entry.getValue().stream().anyMatch(pattern -> pattern.matcher(text).find())) {
        return entry.getKey();
      }
    }
    return "";
  }
}
