package io.tony.failure;

import io.tony.event.TaskFact;
import io.tony.text.Strings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why a program failed, by the last lines of its stderr: the line of its exception, or else the
 * last one. Two failures have the same cause when their lines are the same but for what changes
 * from start to start: numbers, dates, addresses, and the folders of files.
 */
public final class FailureSignature {
  /** Of a longer line, the rest is not looked at. */
  private static final int MAX_LINE_CHARS = 2_000;

  /** A program that has run for longer, and tells nobody how far it is, may have come further. */
  public static final Duration MAX_EARLY_RUN_TIME = Duration.ofMinutes(2);

  /** By the signals that nothing but another process sends: 1, 2, 9 and 15. */
  private static final Set<Integer> EXTERNAL_KILL_EXIT_CODES = Set.of(129, 130, 137, 143);

  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*[A-Za-z]");

  /** Launchers write it before each line of a rank. */
  private static final Pattern RANK = Pattern.compile("^\\s*\\[[A-Za-z]{0,10} ?\\d{1,6}]:? ?");

  /**
   * Python: {@code pkg.BadError: why}. Java: {@code Exception in thread "main" a.B: why}, {@code
   * Caused by: a.B: why}. Python's own names that do not end so are named.
   */
  private static final Pattern EXCEPTION =
      Pattern.compile(
          "^(?:Exception in thread \"[^\"]*\" |Caused by: )?"
              + "((?:[\\p{L}_$][\\w$]*+\\.)*+"
              + "(?:[\\p{L}_$][\\w$]*?(?:Error|Exception|Failure|Timeout|Exit)"
              + "|KeyboardInterrupt|StopIteration|StopAsyncIteration))"
              + "(?=:|$)");

  /** In the order in which they are replaced; a date may have names of days and months in it. */
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

  /** What failures like this one have in common; empty for what another start may mend. */
  public static String of(TaskFact.Failed failed) {
    return switch (failed.kind()) {
      case MEMORY -> failed.kind().name();
      case PROGRAM -> ofProgram(failed);
      case LOST, PREEMPTED, INVALID, AM_LOST, TIMEOUT, KILLED, RESIZED -> "";
    };
  }

  /**
   * A program that was ended, as one that hangs is, might not be another time; nor need another one
   * fail again that took this one down.
   */
  private static String ofProgram(TaskFact.Failed failed) {
    return failed.exitCode() == null
            || EXTERNAL_KILL_EXIT_CODES.contains(failed.exitCode())
            || !SecondaryFailure.of(failed).isEmpty()
        ? ""
        : failed.exitCode() + " " + of(failed.stderr());
  }

  /** What the failures of one cause have in common; empty where nothing was written. */
  static String of(String stderr) {
    String common = line(ProgramStderr.of(stderr)) + ProgramStderr.fault(stderr);
    for (Replacement replacement : VARIABLE_PARTS) {
      common = replacement.applyTo(common);
    }
    return common.strip();
  }

  /** The exception's name, {@code ValueError}; empty where there is none. */
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
