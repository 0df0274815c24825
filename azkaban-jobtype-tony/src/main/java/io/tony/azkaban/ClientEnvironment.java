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
 * Decides which {@code env.*} properties of a job become environment variables of TonY's client.
 * The client runs as Azkaban's own user, so a job must not set variables that determine the
 * client's user, cluster or code: such a job is refused. Other unknown variables are left out. The
 * environment of the user's program is set with {@code task_env.*} instead.
 */
final class ClientEnvironment {

  private static final String PROGRAMS = "the program's environment is task_env.NAME.";

  /**
   * Names of the variables that are passed to the client, in addition to all names that begin with
   * {@code LC_}.
   */
  private static final Set<String> PASSED =
      Collections.unmodifiableSet(new HashSet<>(Arrays.asList("LANG", "TZ")));

  /** Prefixes of the names of variables that Hadoop, Kerberos, Java or TonY's client reads. */
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
   * @param ofSite tests a property's key: true if the job inherits the value from the
   *     administrator's files
   * @param ofAzkaban tests a property's key: true if the plugin's private properties contain the
   *     same value, because Azkaban's router copied it into both
   */
  ClientEnvironment(
      Map<String, String> requested, Predicate<String> ofSite, Predicate<String> ofAzkaban) {
    requested.forEach(
        (name, value) -> {
          if (ofAzkaban.test("env." + name) && isDecisive(name)) {
            // Azkaban's router set this variable, not the job: do not refuse the job, and do not
            // pass the variable on.
            return;
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

  /** Throws an exception if the job sets a variable that jobs must not set. */
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
   * Returns lines for the job's log: which variables are not passed to the client, and which are
   * passed to the client but not to the user's program.
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
