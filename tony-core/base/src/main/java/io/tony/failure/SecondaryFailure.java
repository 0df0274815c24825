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
 * Detects that a program failed because another task of its job had ended. Looks at the end of its
 * stderr for messages of the libraries through which the programs of a job communicate. These
 * libraries write the same messages when the connection to any other server is lost, so a match
 * only makes one failure a less likely root cause than another.
 */
public final class SecondaryFailure {
  /**
   * Numbers of SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGKILL and SIGSEGV, which end a program for a
   * cause of its own.
   */
  private static final Set<Integer> CRASH_SIGNALS = Set.of(4, 5, 7, 8, 9, 11);

  /** Maximum number of characters of stderr that are searched, from the end. */
  private static final int MAX_CHARS = 4_000;

  /** Start of what Python writes during its cleanup, after the failure. */
  private static final Pattern CLEANUP = Pattern.compile("(?m)^Exception ignored in\\b");

  /**
   * The line with the exception that ended a Python program, possibly after torch's rank prefix.
   */
  private static final Pattern EXCEPTION =
      Pattern.compile("(?m)^(\\[rank\\d+\\]:\\s*)?[A-Za-z_][\\w.]*(Error|Exception|Exit)(:|$)");

  /**
   * The part of torchrun's report about the program that failed first; group 1 is its exit code.
   */
  private static final Pattern TORCHRUN =
      Pattern.compile("Root Cause \\(first observed failure\\)[\\s\\S]*?exitcode\\s*:\\s*(-?\\d+)");

  private static final String TRACEBACK = "Traceback (most recent call last)";

  /** Patterns of messages, by the reason of the failure. The first match determines the reason. */
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
        "its programs were ordered to end", patterns("SignalException: Process \\d+ got signal"));
    return byReason;
  }

  private static List<Pattern> patterns(String... texts) {
    return List.of(texts).stream()
        .map(text -> Pattern.compile(text, Pattern.CASE_INSENSITIVE))
        .toList();
  }

  /**
   * Returns the reason, for people, why the end of another task made this program fail; empty if
   * its stderr does not show one.
   */
  public static String of(TaskFact.Failed failure) {
    return reasonIn(relevantText(failure));
  }

  /**
   * Returns a copy whose stderr is shortened to the message from which {@link #of} derives the
   * reason; empty if there is none.
   */
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

  /**
   * Returns the exit code in torchrun's report; 0 if there are too many digits for an exit code:
   * then the text is the program's own output, not torchrun's report.
   */
  private static int parseExitCode(String digits) {
    return digits.length() > 4 ? 0 : Integer.parseInt(digits);
  }

  /**
   * Returns the text before torchrun's own traceback, which precedes its report; empty if there is
   * no such traceback.
   */
  private static String beforeTorchrun(String text) {
    int own = text.lastIndexOf(TRACEBACK);
    return own < 0 ? "" : text.substring(0, own);
  }

  /**
   * Returns the part of the text that names the cause of the failure: from the last exception to
   * the messages of Python's cleanup, which are left out. Starts at the beginning of the text if
   * there is no exception. At most the last {@link #MAX_CHARS} characters of this part.
   */
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
