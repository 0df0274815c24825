package io.tony.azkaban;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Turns the properties of an Azkaban job into the properties that TonY's client reads. Only the
 * keys of {@link #TABLE} and {@code tony.*} go through; whatever else the job or the server's
 * configuration holds, passwords included, stays behind. Values are never changed, quoted or
 * trimmed, except that a list of data sets is separated by {@code ;}.
 *
 * <p>When a job gives both a short key and the {@code tony.*} key that it stands for, the short one
 * counts; for {@code shell_env}, which is a list, both do.
 */
public final class JobTranslation {

  /** The job in a flow that is embedded in another: unique in an execution, as its id is not. */
  static final String NESTED_PATH = "azkaban.flow.nested.path";

  static final String JOB_ID = "azkaban.job.id";
  static final String PROJECT_NAME = "azkaban.flow.projectname";

  /** All that 2.5.0 gives of the project. */
  static final String PROJECT_ID = "azkaban.flow.projectid";

  /** Marks, in the client's job file, what the administrator set for every job. */
  public static final String SITE_PREFIX = "site.";

  /**
   * The key in a {@code .job} file, and the registry's key for it. A pair of names that end with a
   * dot stands for all keys with that prefix.
   */
  public static final Map<String, String> TABLE = table();

  /**
   * What an earlier step of this type published for its dependants; Azkaban hands it to them as if
   * it were their own. It tells of that step, and sets nothing in this one.
   */
  private static final Pattern PUBLISHED =
      Pattern.compile(
          "tony\\.(application\\.id|tracking\\.url|tensorboard\\.url|final\\.status|failure\\.kind"
              + "|checkpoint\\.dir|output\\..*|task\\..*\\.log\\.url)");

  private static final String TONY_PREFIX = "tony.";
  private static final String SHELL_ENV = "shell_env";
  private static final String SRC_DIR = "src_dir";
  private static final String CONF_FILE = "conf_file";

  private JobTranslation() {}

  private static Map<String, String> table() {
    Map<String, String> table = new LinkedHashMap<>();
    table.put("executes", "tony.application.executes");
    table.put("src_dir", "tony.application.src-dir");
    table.put("task_params", "tony.application.task-params");
    table.put("python_venv", "tony.application.python-venv");
    table.put("python_binary_path", "tony.application.python-binary-path");
    table.put("hdfs_classpath", "tony.application.hdfs-classpath");
    table.put("conf_file", "tony.application.conf-file");
    table.put("shell_env", "tony.execution.envs");
    table.put("azkaban.input.dataset", "tony.execution.env.AZKABAN_INPUT_DATASET");
    table.put("azkaban.output.dataset", "tony.execution.env.AZKABAN_OUTPUT_DATASET");
    table.put("worker_env.", "tony.execution.env.");
    table.put(PROJECT_NAME, "tony.azkaban.project");
    table.put("azkaban.flow.flowid", "tony.azkaban.flow");
    table.put("azkaban.flow.execid", "tony.azkaban.execution");
    table.put(JOB_ID, "tony.azkaban.job");
    table.put("azkaban.job.attempt", "tony.azkaban.attempt");
    table.put("azkaban.link.jobexec.url", "tony.azkaban.url");
    return Collections.unmodifiableMap(table);
  }

  /**
   * Translates one job.
   *
   * @param job all properties of the job, resolved by Azkaban; Azkaban has merged the
   *     administrator's defaults into them
   * @param siteDefaults those {@code tony.*} of them that the job has from the administrator
   * @param inWorkingDirectory whether the job's working directory has a file or folder of that name
   * @return the content of the client's job file: the administrator's defaults, marked, then the
   *     job's own
   */
  public static Map<String, String> translate(
      Map<String, String> job,
      Map<String, String> siteDefaults,
      Predicate<String> inWorkingDirectory) {
    Map<String, String> translated = new LinkedHashMap<>();
    siteDefaults.forEach((key, value) -> translated.put(SITE_PREFIX + key, value));

    Map<String, String> own = new TreeMap<>(job);
    own.keySet().removeAll(siteDefaults.keySet());
    own.forEach(
        (key, value) -> {
          if (key.startsWith(TONY_PREFIX)
              && !SiteProperties.isSetting(key)
              && !PUBLISHED.matcher(key).matches()) {
            translated.put(key, value);
          }
        });
    TABLE.forEach((from, to) -> translateKey(own, from, to, translated));

    if (!own.containsKey(SRC_DIR) && inWorkingDirectory.test("src")) {
      translated.putIfAbsent(TABLE.get(SRC_DIR), "src");
    }
    if (!own.containsKey(CONF_FILE) && inWorkingDirectory.test("tony.xml")) {
      translated.putIfAbsent(TABLE.get(CONF_FILE), "tony.xml");
    }
    return translated;
  }

  private static void translateKey(
      Map<String, String> own, String from, String to, Map<String, String> translated) {
    if (from.endsWith(".")) {
      own.forEach(
          (key, value) -> {
            if (key.startsWith(from) && key.length() > from.length()) {
              translated.put(to + key.substring(from.length()), value);
            }
          });
      return;
    }
    String value = valueOf(own, from);
    if (value == null) {
      return;
    }
    if (from.equals(SHELL_ENV)) {
      translated.merge(to, value, (list, more) -> list + "," + more);
    } else if (from.endsWith(".dataset")) {
      translated.put(to, value.replace(',', ';'));
    } else {
      translated.put(to, value);
    }
  }

  private static String valueOf(Map<String, String> own, String from) {
    String value = own.get(from);
    if (from.equals(JOB_ID)) {
      return own.getOrDefault(NESTED_PATH, value);
    }
    return value == null && from.equals(PROJECT_NAME) ? own.get(PROJECT_ID) : value;
  }
}
