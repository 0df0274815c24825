package io.tony.executor.program;

import io.tony.protocol.ReportLimits;
import io.tony.text.Strings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stack of a process's main thread, as printed by py-spy, Python's faulthandler or a JVM.
 *
 * @param frames innermost call first; empty if the stack is unknown
 */
record Stack(List<Frame> frames) {
  static final Stack UNKNOWN = new Stack(List.of());

  /**
   * One call of a stack.
   *
   * @param place {@code function (file:line)}, where the file has no folders
   * @param inStandardLibrary whether the code is in the standard library of Python or Java; such a
   *     call does not show where the program waits
   * @param inLauncher whether the code belongs to a framework's launcher, which only starts
   *     processes and waits for them
   */
  record Frame(String place, boolean inStandardLibrary, boolean inLauncher) {}

  /** Stack of one thread, to which calls are added while the text is parsed. */
  private record ThreadStack(boolean main, boolean daemon, List<Frame> frames) {
    boolean hasProgramFrame() {
      return frames.stream().anyMatch(frame -> !frame.inStandardLibrary());
    }
  }

  private static final int MAX_LINE_CHARS = 1_000;

  private static final Pattern SPY_THREAD = Pattern.compile("Thread \\w+ \\([^)]*\\)(: \"(.*)\")?");
  private static final Pattern SPY_FRAME = Pattern.compile(" {4}(\\S.*) \\((.+?)(?::(\\d+))?\\)");

  private static final Pattern FAULT_THREAD =
      Pattern.compile("(Current t|T)hread 0x.* \\(most recent call first\\):");
  private static final Pattern FAULT_FRAME =
      Pattern.compile(" {2}File \"(.*)\", line (\\d+|\\?\\?\\?) in (.+)");

  private static final Pattern JAVA_THREAD = Pattern.compile("\"(.*)\" (#.*|.*prio=.*)");
  private static final Pattern JAVA_FRAME = Pattern.compile("\tat (?:.*/)?([^(]+)\\((.*)\\)");

  private static final Pattern PYTHON_LIBRARY =
      Pattern.compile("<frozen .*|.*/lib\\d*/python3[^/]*/.*");
  private static final Pattern PACKAGES = Pattern.compile(".*/(site|dist)-packages/.*");
  private static final Pattern JAVA_LIBRARY =
      Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*");
  private static final Pattern LAUNCHERS =
      Pattern.compile(
          ".*/(torch/distributed/(elastic|launcher)|horovod/runner|deepspeed/launcher|accelerate/commands)/.*");

  Stack {
    frames = List.copyOf(frames);
  }

  /**
   * Returns the stack of the main thread in the output of py-spy, faulthandler or a JVM; {@link
   * #UNKNOWN} if there is none. Ignores other lines.
   */
  static Stack parse(String text) {
    List<ThreadStack> threads = new ArrayList<>();
    for (String line :
        text.lines().filter(candidate -> candidate.length() <= MAX_LINE_CHARS).toList()) {
      ThreadStack block = thread(line);
      if (block != null) {
        threads.add(block);
      } else if (!threads.isEmpty()) {
        Frame frame = frame(line);
        if (frame != null) {
          threads.get(threads.size() - 1).frames().add(frame);
        }
      }
    }
    return new Stack(mainThread(threads).frames());
  }

  /**
   * Returns the main thread. If it has ended or waits in the standard library only, as in some
   * JVMs, returns the first non-daemon thread with a call outside the standard library.
   */
  private static ThreadStack mainThread(List<ThreadStack> threads) {
    ThreadStack best = new ThreadStack(false, false, List.of());
    for (ThreadStack thread : threads) {
      // The last thread wins: faulthandler has no names, and writes the main thread last.
      boolean better = thread.main() || (!best.hasProgramFrame() && !thread.daemon());
      if (thread.hasProgramFrame() ? better : best.frames().isEmpty() && thread.main()) {
        best = thread;
      }
    }
    return best;
  }

  private static @Nullable ThreadStack thread(String line) {
    Matcher spy = SPY_THREAD.matcher(line);
    if (FAULT_THREAD.matcher(line).matches()) {
      return new ThreadStack(true, false, new ArrayList<>());
    } else if (spy.matches()) {
      return new ThreadStack("MainThread".equals(spy.group(2)), false, new ArrayList<>());
    }
    Matcher java = JAVA_THREAD.matcher(line);
    return java.matches()
        ? new ThreadStack(
            java.group(1).equals("main"), line.contains(" daemon "), new ArrayList<>())
        : null;
  }

  private static @Nullable Frame frame(String line) {
    Matcher fault = FAULT_FRAME.matcher(line);
    if (fault.matches()) {
      return python(fault.group(3), fault.group(1), fault.group(2));
    }
    Matcher spy = SPY_FRAME.matcher(line);
    if (spy.matches()) {
      return python(spy.group(1), spy.group(2), spy.group(3));
    }
    Matcher java = JAVA_FRAME.matcher(line);
    if (java.matches()) {
      // the source is java.base@17.0.15/Thread.java:3, or Main.java:3
      String method = java.group(1);
      String source = java.group(2).substring(java.group(2).lastIndexOf('/') + 1);
      String place = lastPart(method) + " (" + source + ")";
      return new Frame(place, JAVA_LIBRARY.matcher(method).matches(), false);
    }
    return null;
  }

  /**
   * Drops the class from {@code Class.method}, which py-spy prints, because faulthandler prints
   * only {@code method}: places of different tasks must be comparable.
   *
   * @param line number of the line; null if unknown
   */
  private static Frame python(String function, String file, @Nullable String line) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return new Frame(
        lastPart(function) + " (" + name + (line == null ? "" : ":" + line) + ")",
        PYTHON_LIBRARY.matcher(file).matches() && !PACKAGES.matcher(file).matches(),
        LAUNCHERS.matcher(file).matches());
  }

  private static String lastPart(String function) {
    return function.substring(function.lastIndexOf('.') + 1);
  }

  boolean isKnown() {
    return !frames.isEmpty();
  }

  /**
   * Returns true if the process is a framework's launcher, which only waits for the processes that
   * do the work.
   */
  boolean isLauncher() {
    return frames.stream().anyMatch(Frame::inLauncher);
  }

  /**
   * Returns where the program is: the innermost call outside the standard library or, if there is
   * none, the innermost call. Returns the empty string if the stack is unknown.
   */
  String place() {
    return isKnown()
        ? Strings.truncate(
            frames.get(innermostIndex()).place(), ReportLimits.MAX_HANG_LOCATION_CHARS)
        : "";
  }

  /**
   * Returns the calls from the outermost to that of {@link #place}, in the order in which Python
   * prints them. Readers often keep only the last lines, which are the most important.
   *
   * @param maxLines maximum number of calls; the outer ones are left out
   */
  List<String> lines(int maxLines) {
    int from = isKnown() ? innermostIndex() : 0;
    List<String> lines = new ArrayList<>();
    for (Frame frame : frames.subList(from, Math.min(frames.size(), from + maxLines))) {
      lines.add("  " + frame.place());
    }
    Collections.reverse(lines);
    return lines;
  }

  private int innermostIndex() {
    for (int i = 0; i < frames.size(); i++) {
      if (!frames.get(i).inStandardLibrary()) {
        return i;
      }
    }
    return 0;
  }
}
