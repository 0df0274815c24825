package io.tony.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds options that prevent a JVM of Java 17 or newer from starting. */
public final class JvmOptionCheck {
  /** Names of the {@code -XX:} options that Java 8 accepts and Java 17 rejects. */
  static final Set<String> REMOVED =
      Set.of(
          "AggressiveOpts",
          "GCLogFileSize",
          "MaxPermSize",
          "NumberOfGCLogFiles",
          "ParGCCardsPerStrideChunk",
          "ParallelCMSThreads",
          "PermSize",
          "PrintAdaptiveSizePolicy",
          "PrintGCApplicationConcurrentTime",
          "PrintGCApplicationStoppedTime",
          "PrintGCCause",
          "PrintGCDateStamps",
          "PrintGCTimeStamps",
          "PrintHeapAtGC",
          "PrintPromotionFailure",
          "PrintReferenceGC",
          "PrintTenuringDistribution",
          "TraceClassLoading",
          "TraceClassUnloading",
          "UnlockCommercialFeatures",
          "UseCMSInitiatingOccupancyOnly",
          "UseConcMarkSweepGC",
          "UseFastAccessorMethods",
          "UseGCLogFileRotation",
          "UseParNewGC",
          "UseParallelOldGC",
          "UseSplitVerifier");

  /** Prefixes of the other options that Java 17 rejects. */
  static final List<String> REMOVED_PREFIXES =
      List.of(
          "-Xincgc",
          "-d32",
          "-d64",
          "-Xbootclasspath/p:",
          "-Djava.ext.dirs=",
          "-Djava.endorsed.dirs=");

  /**
   * Options that select a garbage collector. A JVM accepts only one of these, and TonY's command
   * line already selects one.
   */
  static final Set<String> COLLECTORS =
      Set.of("UseG1GC", "UseParallelGC", "UseShenandoahGC", "UseZGC");

  private static final Pattern XX = Pattern.compile("-XX:([+-]?)(\\w+)(?:=.*)?");
  private static final Pattern SIZE = Pattern.compile("-Xmx(\\d{1,15})([kKmMgGtT]?)");

  private JvmOptionCheck() {}

  /**
   * Returns one sentence for each option with which the JVM would not start; empty if there is
   * none.
   *
   * @param options blank-separated JVM options
   */
  public static List<String> problems(String options) {
    List<String> optionList = JvmCommand.split(options);
    List<String> problems = new ArrayList<>();
    boolean tolerant = optionList.contains("-XX:+IgnoreUnrecognizedVMOptions");
    boolean otherCollector = optionList.contains("-XX:-UseSerialGC");
    for (String option : optionList) {
      Matcher xx = XX.matcher(option);
      boolean ofJvm = xx.matches();
      boolean removed =
          ofJvm
              ? !tolerant && (REMOVED.contains(xx.group(2)) || xx.group(2).startsWith("CMS"))
              : REMOVED_PREFIXES.stream().anyMatch(option::startsWith);
      if (removed) {
        problems.add(option + " is of Java 8, and Java 17 does not start with it: remove it");
      } else if (ofJvm
          && xx.group(1).equals("+")
          && COLLECTORS.contains(xx.group(2))
          && !otherCollector) {
        problems.add(
            option
                + " is a second garbage collector beside TonY's own choice, and Java does not start"
                + " with two: remove it, or add -XX:-UseSerialGC");
      }
    }
    return problems;
  }

  /**
   * Returns the maximum heap in MiB that the last {@code -Xmx} of these options sets; empty if none
   * of them is {@code -Xmx}.
   */
  public static OptionalLong heapMiB(String options) {
    OptionalLong heap = OptionalLong.empty();
    for (String option : JvmCommand.split(options)) {
      Matcher size = SIZE.matcher(option);
      if (size.matches()) {
        long number = Long.parseLong(size.group(1));
        heap =
            OptionalLong.of(
                switch (size.group(2).toLowerCase(Locale.ROOT)) {
                  case "k" -> number >> 10;
                  case "m" -> number;
                  case "g" -> number << 10;
                  case "t" -> number << 20;
                  default -> number >> 20;
                });
      }
    }
    return heap;
  }
}
