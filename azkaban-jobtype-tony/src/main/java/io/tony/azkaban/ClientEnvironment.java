package io.tony.azkaban;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Divides the job's {@code env.*} properties. The client runs as Azkaban's own user, so nothing of
 * a job may decide as whom, on which cluster or with what code it does so. A job that wants to is
 * refused; what else it sets is left out. Its program's environment is another thing.
 */
final class ClientEnvironment {

  private static final String PROGRAMS = "the program's environment is task_env.NAME.";

  /** All that passes, with the variables that begin with {@code LC_}. */
  private static final Set<String> PASSED =
      Collections.unmodifiableSet(new HashSet<>(Arrays.asList("LANG", "TZ")));

  /** Begin what Hadoop, Kerberos, Java and TonY's client act upon. */
  private static final List<String> DECISIVE_PREFIXES =
      Collections.unmodifiableList(
          Arrays.asList(
              "HADOOP_",
              "HDFS_",
              "YARN_",
              "MAPRED_",
              "KRB5",
              "JAVA_",
              "JDK_",
              "_JAVA",
              "CLASSPATH",
              "TONY_"));

  private final Map<String, String> passed = new TreeMap<>();
  private final Set<String> refused = new TreeSet<>();
  private final Set<String> ignored = new TreeSet<>();
  private final Set<String> passedByJob = new TreeSet<>();

  /**
   * Divides them.
   *
   * @param ofSite whether the job has a property from the administrator, and does not set it itself
   * @param ofAzkaban whether the private properties have it with the same value: Azkaban's router
   *     puts it into both
   */
  ClientEnvironment(
      Map<String, String> requested, Predicate<String> ofSite, Predicate<String> ofAzkaban) {
    requested.forEach(
        (name, value) -> {
          if (ofAzkaban.test("env." + name) && isDecisive(name)) {
            return; // neither the job's nor news for its log
          }
          if (PASSED.contains(name) || name.startsWith("LC_")) {
            passed.put(name, value);
            if (!ofSite.test("env." + name)) {
              passedByJob.add("env." + name);
            }
          } else if (!ofSite.test("env." + name) && isDecisive(name)) {
            refused.add("env." + name);
          } else {
            ignored.add("env." + name);
          }
        });
  }

  /** True for a variable that Hadoop, Kerberos, Java or TonY's client acts upon. */
  static boolean isDecisive(String name) {
    return DECISIVE_PREFIXES.stream().anyMatch(name::startsWith);
  }

  Map<String, String> passed() {
    return passed;
  }

  /** Ends a job that sets what it must not. */
  void refuse() throws JobFailedException {
    if (!refused.isEmpty()) {
      throw new JobFailedException(
          refused
              + " would decide as whom, where or how TonY's client acts, which is not a job's to"
              + " say: remove it. The user to run as is user.to.proxy, the program's environment"
              + " is task_env.NAME.");
    }
  }

  /** For the job's log, where something that it sets does not reach what its author expects. */
  List<String> logLines() {
    List<String> lines = new ArrayList<>();
    if (!ignored.isEmpty()) {
      lines.add(ignored + " are not passed to TonY's client; " + PROGRAMS);
    }
    if (!passedByJob.isEmpty()) {
      lines.add(passedByJob + " reach TonY's client only; " + PROGRAMS);
    }
    return lines;
  }
}
