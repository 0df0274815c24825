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
 * Decides which {@code env.*} properties of a job reach TonY's client. The client runs as Azkaban's
 * own user, so a job must not decide as which user, on which cluster or with what code the client
 * runs. A job that sets such a variable is refused; other unknown variables are left out. The
 * environment of the job's program is separate ({@code task_env.*}).
 */
final class ClientEnvironment {

  private static final String PROGRAMS = "the program's environment is task_env.NAME.";

  /**
   * Names of the variables that are passed to the client, besides those that begin with {@code
   * LC_}.
   */
  private static final Set<String> PASSED =
      Collections.unmodifiableSet(new HashSet<>(Arrays.asList("LANG", "TZ")));

  /** Name prefixes of variables that Hadoop, Kerberos, Java or TonY's client read. */
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
   * Sorts the variables into passed, refused and ignored ones.
   *
   * @param requested the job's variables, by name without {@code env.}
   * @param ofSite true for a property that the job inherits from the administrator and does not set
   *     itself
   * @param ofAzkaban true for a property that the private properties have with the same value,
   *     because Azkaban's router copies it into both
   */
  ClientEnvironment(
      Map<String, String> requested, Predicate<String> ofSite, Predicate<String> ofAzkaban) {
    requested.forEach(
        (name, value) -> {
          if (ofAzkaban.test("env." + name) && isDecisive(name)) {
            return; // set by the router, not by the job
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

  /** Returns true for a variable that Hadoop, Kerberos, Java or TonY's client reads. */
  static boolean isDecisive(String name) {
    return DECISIVE_PREFIXES.stream().anyMatch(name::startsWith);
  }

  Map<String, String> passed() {
    return passed;
  }

  /** Throws if the job sets a variable that jobs must not set. */
  void refuse() throws JobFailedException {
    if (!refused.isEmpty()) {
      throw new JobFailedException(
          refused
              + " would decide as whom, where or how TonY's client acts, which is not a job's to"
              + " say: remove it. The user to run as is user.to.proxy, the program's environment"
              + " is task_env.NAME.");
    }
  }

  /**
   * Lines for the job's log about variables that do not reach the client or the program as the
   * job's author may expect.
   */
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
