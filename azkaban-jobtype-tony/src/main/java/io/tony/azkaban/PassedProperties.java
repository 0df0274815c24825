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
 * Selects the properties of a job that are passed to TonY's client, by a fixed list of keys and key
 * prefixes. Other properties may contain passwords; the client gets only the names of those that
 * the job's author probably wrote, never their values. This plugin does not interpret the
 * properties; the client does.
 */
final class PassedProperties {

  static final String JOB_ID = "azkaban.job.id";

  /** Prefix, in the client's job file, of a property that the administrator sets for all jobs. */
  private static final String SITE_PREFIX = "site.";

  /**
   * Prefix, in the client's job file, of the name of a property that is not passed. Its value is
   * empty; the client warns about the name.
   */
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

  /** Properties, besides {@code azkaban.*}, that Azkaban sets for each job or reads itself. */
  private static final Set<String> OF_AZKABAN =
      Collections.unmodifiableSet(
          new HashSet<>(Arrays.asList("type", "dependencies", "working.dir", "user.to.proxy")));

  /**
   * The JVM arguments that Azkaban 4 adds at the start of {@code jvm.args}. If a job does not set
   * {@code jvm.args}, they are its whole value.
   */
  private static final Pattern JVM_ARGS_OF_AZKABAN =
      Pattern.compile("'-Dazkaban\\.flowid=.*' '-Dazkaban\\.execid=[0-9]+' '-Dazkaban\\.jobid=.*'");

  private PassedProperties() {}

  /**
   * Returns the content of the client's job file. The values are those in which Azkaban has already
   * resolved references.
   *
   * @param job all properties of the job, including the administrator's defaults that Azkaban
   *     merged into them
   * @param siteDefaults the {@code tony.*} properties that the job inherits from the administrator
   * @param ofSite tests a property's key: true if the job inherits the value from the
   *     administrator's files
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

  /**
   * Returns true for a property that the job's author probably wrote and that is not passed to the
   * client.
   */
  private static boolean isOther(String key, String value) {
    return !key.startsWith("azkaban.")
        && !key.startsWith("env.") // ClientEnvironment handles these
        && !OF_AZKABAN.contains(key)
        && !SiteProperties.isSetting(key)
        && !(key.equals("jvm.args") && JVM_ARGS_OF_AZKABAN.matcher(value).matches());
  }
}
