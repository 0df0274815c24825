package io.tony.azkaban;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which properties of a job are handed to TonY's client: those that it may read, and no other.
 * Whatever else the job or the server's configuration holds, passwords included, stays behind. What
 * the keys mean is the client's to know.
 */
final class PassedProperties {

  static final String JOB_ID = "azkaban.job.id";

  /** Marks, in the client's job file, what the administrator set for every job. */
  private static final String SITE_PREFIX = "site.";

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
                  "azkaban.flow.executionsource",
                  "azkaban.flow.nested.path",
                  "azkaban.flow.start.timestamp",
                  JOB_ID,
                  "azkaban.job.attempt",
                  "azkaban.link.jobexec.url",
                  "retries")));

  private PassedProperties() {}

  /**
   * The content of the client's job file, as Azkaban resolved it.
   *
   * @param job all properties of the job; Azkaban has merged the administrator's defaults into them
   * @param siteDefaults those {@code tony.*} of them that the job has from the administrator
   */
  static Map<String, String> of(Map<String, String> job, Map<String, String> siteDefaults) {
    Map<String, String> passed = new TreeMap<>();
    siteDefaults.forEach((key, value) -> passed.put(SITE_PREFIX + key, value));
    job.forEach(
        (key, value) -> {
          if (isPassed(key) && !value.equals(siteDefaults.get(key))) {
            passed.put(key, value);
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
}
