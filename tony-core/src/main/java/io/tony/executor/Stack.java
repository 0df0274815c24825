package io.tony.executor;

import io.tony.model.Beginning;
import io.tony.protocol.ReportLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stack of a process's main thread, as py-spy, Python's faulthandler or a JVM writes it.
 *
 * @param frames the innermost call first; none where it is not known
 */
record Stack(List<Frame> frames) {
  static final Stack UNKNOWN = new Stack(List.of());

  /**
   * One call.
   *
   * @param place {@code function (file:line)}, where the file is without its folders
   * @param ofLanguage it is code of Python's or Java's own library, where every program may wait
   * @param ofLauncher it is code that only starts and watches the processes that do the work
   */
  record Frame(String place, boolean ofLanguage, boolean ofLauncher) {}

  /** A thread in the making. */
  private record Block(boolean main, boolean daemon, List<Frame> frames) {
    boolean tells() {
      return frames.stream().anyMatch(frame -> !frame.ofLanguage());
    }
  }

  private static final int LONGEST_LINE = 1_000;

  private static final Pattern SPY_THREAD = Pattern.compile("Thread \\w+ \\([^)]*\\)(: \"(.*)\")?");
  private static final Pattern SPY_FRAME = Pattern.compile(" {4}(\\S.*) \\((.+?)(?::(\\d+))?\\)");

  private static final Pattern FAULT_THREAD =
      Pattern.compile("(Current t|T)hread 0x.* \\(most recent call first\\):");
  private static final Pattern FAULT_FRAME =
      Pattern.compile(" {2}File \"(.*)\", line (\\d+|\\?\\?\\?) in (.+)");

  private static final Pattern JAVA_THREAD = Pattern.compile("\"(.*)\" (#.*|.*prio=.*)");
  private static final Pattern JAVA_FRAME = Pattern.compile("\tat (?:.*/)?([^(]+)\\((.*)\\)");

  private static final Pattern PYTHONS_OWN =
      Pattern.compile("<frozen .*|.*/lib\\d*/python3[^/]*/.*");
  private static final Pattern PACKAGES = Pattern.compile(".*/(site|dist)-packages/.*");
  private static final Pattern JAVAS_OWN = Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*");
  private static final Pattern LAUNCHERS =
      Pattern.compile(
          ".*/(torch/distributed/(elastic|launcher)|horovod/runner|deepspeed/launcher|accelerate/commands)/.*");

  Stack {
    frames = List.copyOf(frames);
  }

  /** Of what was written; other lines may stand around it. */
  static Stack in(String text) {
    List<Block> threads = new ArrayList<>();
    for (String line : text.lines().filter(one -> one.length() <= LONGEST_LINE).toList()) {
      Block begins = thread(line);
      if (begins != null) {
        threads.add(begins);
      } else if (!threads.isEmpty()) {
        Frame frame = frame(line);
        if (frame != null) {
          threads.get(threads.size() - 1).frames().add(frame);
        }
      }
    }
    return new Stack(mainOf(threads).frames());
  }

  /** Where a JVM's main thread has ended, or only waits in its library, the first that works. */
  private static Block mainOf(List<Block> threads) {
    Block best = new Block(false, false, List.of());
    for (Block thread : threads) {
      // Python's faulthandler writes the main thread last.
      boolean better = thread.main() || (!best.tells() && !thread.daemon());
      if (thread.tells() ? better : best.frames().isEmpty() && thread.main()) {
        best = thread;
      }
    }
    return best;
  }

  private static Block thread(String line) {
    Matcher spy = SPY_THREAD.matcher(line);
    if (FAULT_THREAD.matcher(line).matches()) {
      return new Block(true, false, new ArrayList<>());
    } else if (spy.matches()) {
      return new Block("MainThread".equals(spy.group(2)), false, new ArrayList<>());
    }
    Matcher java = JAVA_THREAD.matcher(line);
    return java.matches()
        ? new Block(java.group(1).equals("main"), line.contains(" daemon "), new ArrayList<>())
        : null;
  }

  private static Frame frame(String line) {
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
      // java.base@17.0.15/Thread.java:3, or Main.java:3
      String method = java.group(1);
      String source = java.group(2).substring(java.group(2).lastIndexOf('/') + 1);
      String place = lastPart(method) + " (" + source + ")";
      return new Frame(place, JAVAS_OWN.matcher(method).matches(), false);
    }
    return null;
  }

  /** py-spy says {@code Class.method} and faulthandler {@code method}: ranks may differ in that. */
  private static Frame python(String function, String file, String line) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return new Frame(
        lastPart(function) + " (" + name + (line == null ? "" : ":" + line) + ")",
        PYTHONS_OWN.matcher(file).matches() && !PACKAGES.matcher(file).matches(),
        LAUNCHERS.matcher(file).matches());
  }

  private static String lastPart(String function) {
    return function.substring(function.lastIndexOf('.') + 1);
  }

  boolean isKnown() {
    return !frames.isEmpty();
  }

  /** True of the process that only watches others do the work. */
  boolean ofLauncher() {
    return frames.stream().anyMatch(Frame::ofLauncher);
  }

  /**
   * Where the program stands: the innermost call that is not of the language's own library, as far
   * as there is one. Empty where the stack is not known.
   */
  String place() {
    return isKnown() ? Beginning.of(frames.get(innermost()).place(), ReportLimits.STANDS) : "";
  }

  /**
   * The calls as far as that place, the innermost last, as Python tells them: whoever keeps the end
   * of it keeps what matters.
   *
   * @param most of the innermost ones
   */
  List<String> lines(int most) {
    int from = isKnown() ? innermost() : 0;
    List<String> lines = new ArrayList<>();
    for (Frame frame : frames.subList(from, Math.min(frames.size(), from + most))) {
      lines.add("  " + frame.place());
    }
    Collections.reverse(lines);
    return lines;
  }

  private int innermost() {
    for (int i = 0; i < frames.size(); i++) {
      if (!frames.get(i).ofLanguage()) {
        return i;
      }
    }
    return 0;
  }
}
