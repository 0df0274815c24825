package io.tony.azkaban;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Which properties of a job are handed to TonY's client: those that it may read, and no other.
 * Whatever else the job or the server's configuration holds, passwords included, stays behind: the
 * client gets the names of a job's other properties, and never their values. What the keys mean is
 * the client's to know.
 */
final class PassedProperties {

  static final String JOB_ID = "azkaban.job.id";

  /** Marks, in the client's job file, what the administrator set for every job. */
  private static final String SITE_PREFIX = "site.";

  /** Marks the name of a property that stays behind, so that the client can warn of it. */
  private static final String OTHER_PREFIX = "other.";

  private static final Set<String> KEYS =
      Collections.unmodifiableSet(
          new HashSet<>(
              Arrays.asList(
                  "executes",
                  "src_dir",
                  "task_params",
                  "python_venv",
                  "python_binary_path",
                  "hdfs_classpath",
                  "conf_file",
                  "shell_env",
                  "other_namenodes",
                  "azkaban.input.dataset",
                  "azkaban.output.dataset",
                  "azkaban.flow.projectname",
                  "azkaban.flow.projectid",
                  "azkaban.flow.flowid",
                  "azkaban.flow.execid",
                  "azkaban.flow.nested.path",
                  "azkaban.flow.start.timestamp",
                  "azkaban.flow.executionsource",
                  JOB_ID,
                  "azkaban.job.attempt",
                  "azkaban.link.jobexec.url",
                  "retries")));

  /** What Azkaban sets for each job, or reads itself, beside {@code azkaban.*}. */
  private static final Set<String> OF_AZKABAN =
      Collections.unmodifiableSet(
          new HashSet<>(Arrays.asList("type", "dependencies", "working.dir", "user.to.proxy")));

  /** What Azkaban 4 begins {@code jvm.args} with; a job that sets none has no more than this. */
  private static final Pattern JVM_ARGS_OF_AZKABAN =
      Pattern.compile("'-Dazkaban\\.flowid=.*' '-Dazkaban\\.execid=[0-9]+' '-Dazkaban\\.jobid=.*'");

  private PassedProperties() {}

  /**
   * The content of the client's job file, as Azkaban resolved it.
   *
   * @param job all properties of the job; Azkaban has merged the administrator's defaults into them
   * @param siteDefaults those {@code tony.*} of them that the job has from the administrator
   * @param ofSite whether the job has a property from the administrator, and does not set it itself
   */
  static Map<String, String> of(
      Map<String, String> job, Map<String, String> siteDefaults, Predicate<String> ofSite) {
    Map<String, String> passed = new TreeMap<>();
    siteDefaults.forEach((key, value) -> passed.put(SITE_PREFIX + key, value));
    job.forEach(
        (key, value) -> {
          if (isPassed(key)) {
            if (!value.equals(siteDefaults.get(key))) {
              passed.put(key, value);
            }
          } else if (isOther(key, value) && !ofSite.test(key)) {
            passed.put(OTHER_PREFIX + key, "");
          }
        });
    return passed;
  }

  static boolean isPassed(String key) {
    return KEYS.contains(key)
        || key.startsWith("task_env.")
        || key.startsWith("worker_env.")
        || (key.startsWith("tony.") && !SiteProperties.isSetting(key));
  }

  /** True for what the job's author wrote, as far as can be told, and the client does not get. */
  private static boolean isOther(String key, String value) {
    return !key.startsWith("azkaban.")
        && !key.startsWith("env.") // the job type itself says what becomes of them
        && !OF_AZKABAN.contains(key)
        && !SiteProperties.isSetting(key)
        && !(key.equals("jvm.args") && JVM_ARGS_OF_AZKABAN.matcher(value).matches());
  }
}
