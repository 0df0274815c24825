package io.tony.am.machine;

import io.tony.model.Beginning;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why a program failed, by the last lines of its stderr: the line of its exception, or else the
 * last one. Two failures have the same cause when their lines are the same but for what changes
 * from start to start: numbers, dates, addresses, and the folders of files.
 */
final class FailureCause {
  /** Of a longer line, the rest is not looked at. */
  private static final int MOST = 2_000;

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
  private static final List<Replacement> CHANGING =
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

  private record Replacement(Pattern what, String with) {
    Replacement(String what, String with) {
      this(Pattern.compile(what), with);
    }

    String in(String line) {
      return what.matcher(line).replaceAll(with);
    }
  }

  private FailureCause() {}

  /** What the failures of one cause have in common; empty where nothing was written. */
  static String of(String stderr) {
    String common = line(OwnWords.of(stderr)) + OwnWords.fault(stderr);
    for (Replacement replacement : CHANGING) {
      common = replacement.in(common);
    }
    return common.strip();
  }

  /** The exception's name, {@code ValueError}; empty where there is none. */
  static String exception(String stderr) {
    Matcher matcher = EXCEPTION.matcher(line(OwnWords.of(stderr)));
    return matcher.find() ? matcher.group(1) : "";
  }

  private static String line(String stderr) {
    String exception = "";
    String last = "";
    for (String written : stderr.lines().toList()) {
      String line = plain(written);
      if (EXCEPTION.matcher(line).find()) {
        exception = line;
      }
      last = line.isEmpty() ? last : line;
    }
    return exception.isEmpty() ? last : exception;
  }

  private static String plain(String written) {
    String line = COLOUR.matcher(Beginning.of(written, MOST)).replaceAll("");
    return RANK.matcher(line).replaceFirst("").stripTrailing();
  }
}
