package io.tony.failure;

import io.tony.event.TaskFact;
import io.tony.text.Strings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identifies the cause of a program's failure by the end of its stderr: the line of the exception,
 * or the last line. Two failures have the same signature if these lines differ only in what changes
 * from start to start: numbers, dates, addresses, and directories.
 */
public final class FailureSignature {
  /** Maximum number of characters of a line that are considered. */
  private static final int MAX_LINE_CHARS = 2_000;

  /**
   * Maximum run time of a program without progress reports for which its failure is compared with
   * the previous one. A program that ran longer may have got further than the previous one.
   */
  public static final Duration MAX_EARLY_RUN_TIME = Duration.ofMinutes(2);

  /**
   * Exit codes of programs that were killed by SIGHUP, SIGINT, SIGKILL or SIGTERM, signals that
   * other processes send.
   */
  private static final Set<Integer> EXTERNAL_KILL_EXIT_CODES = Set.of(129, 130, 137, 143);

  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*[A-Za-z]");

  /**
   * Prefix that launchers write before each line of output of a process, to name its rank, such as
   * {@code [rank0]: }.
   */
  private static final Pattern RANK = Pattern.compile("^\\s*\\[[A-Za-z]{0,10} ?\\d{1,6}]:? ?");

  /**
   * Matches the start of a line with an exception, such as Python's {@code pkg.BadError: why}, and
   * Java's {@code Exception in thread "main" a.B: why} and {@code Caused by: a.B: why}. An
   * exception is recognized by the ending of its name; Python's own exceptions without such an
   * ending are listed.
   */
  private static final Pattern EXCEPTION =
      Pattern.compile(
          "^(?:Exception in thread \"[^\"]*\" |Caused by: )?"
              + "((?:[\\p{L}_$][\\w$]*+\\.)*+"
              + "(?:[\\p{L}_$][\\w$]*?(?:Error|Exception|Failure|Timeout|Exit)"
              + "|KeyboardInterrupt|StopIteration|StopAsyncIteration))"
              + "(?=:|$)");

  /** Parts of a line that change from start to start, in the order of their replacement. */
  private static final List<Replacement> VARIABLE_PARTS =
      List.of(
          new Replacement("0x[0-9a-fA-F]+", "#"),
          new Replacement(
              "\\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\b",
              "#"),
          new Replacement("\\b(?=[0-9a-f]*\\d)[0-9a-f]{12,64}\\b", "#"),
          new Replacement("(?:[\\w.+@~-]*+/)++", ""),
          new Replacement("\\btmp[a-z0-9_]{6,10}\\b", "tmp#"),
          new Replacement("\\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? (?=[A-Z\\d])", ""),
          new Replacement(
              "\\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} (?=\\d)", ""),
          new Replacement("\\d+(?:[.,]\\d+)*+(?:[eE][+-]?\\d+)?", "#"));

  private record Replacement(Pattern pattern, String replacement) {
    Replacement(String pattern, String replacement) {
      this(Pattern.compile(pattern), replacement);
    }

    String applyTo(String line) {
      return pattern.matcher(line).replaceAll(replacement);
    }
  }

  private FailureSignature() {}

  /** Returns the signature of the failure; empty if a restart may fix it. */
  public static String of(TaskFact.Failed failed) {
    return switch (failed.kind()) {
      case MEMORY -> failed.kind().name();
      case PROGRAM -> ofProgram(failed);
      case LOST, PREEMPTED, INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> "";
    };
  }

  /**
   * Returns the signature of a program's failure. Empty for a program that was killed, for example
   * because it hung, or that failed because of another program: such a failure need not occur
   * again.
   */
  private static String ofProgram(TaskFact.Failed failed) {
    return failed.exitCode() == null
            || EXTERNAL_KILL_EXIT_CODES.contains(failed.exitCode())
            || !SecondaryFailure.of(failed).isEmpty()
        ? ""
        : failed.exitCode() + " " + of(failed.stderr());
  }

  /**
   * Returns the signature of a failure with this stderr: the line that names the cause, without the
   * parts that change from start to start; empty if nothing was written.
   */
  static String of(String stderr) {
    String common = line(ProgramStderr.of(stderr)) + ProgramStderr.fault(stderr);
    for (Replacement replacement : VARIABLE_PARTS) {
      common = replacement.applyTo(common);
    }
    return common.strip();
  }

  /**
   * Returns the name of the exception, possibly qualified, such as {@code ValueError}; empty if
   * stderr contains none.
   */
  public static String exception(String stderr) {
    Matcher matcher = EXCEPTION.matcher(line(ProgramStderr.of(stderr)));
    return matcher.find() ? matcher.group(1) : "";
  }

  private static String line(String stderr) {
    String exception = "";
    String last = "";
    for (String written : stderr.lines().toList()) {
      String line = stripDecoration(written);
      if (EXCEPTION.matcher(line).find()) {
        exception = line;
      }
      last = line.isEmpty() ? last : line;
    }
    return exception.isEmpty() ? last : exception;
  }

  private static String stripDecoration(String written) {
    String line = COLOUR.matcher(Strings.truncate(written, MAX_LINE_CHARS)).replaceAll("");
    return RANK.matcher(line).replaceFirst("").stripTrailing();
  }
}
