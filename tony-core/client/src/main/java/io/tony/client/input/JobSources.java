package io.tony.client.input;

import io.tony.config.JobTranslation;
import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.TonyXml;
import io.tony.config.declared.AzkabanOptions;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a job's options from all sources. Lowest precedence first: {@code tony-site.xml} in {@code
 * TONY_CONF_DIR}; the administrator's defaults, which the job type writes into the job file with
 * the prefix {@code site.}; {@code tony.xml} or the file that {@code conf_file} names; the job
 * file; the command line.
 */
public final class JobSources {
  private static final Logger LOG = LoggerFactory.getLogger(JobSources.class);

  /**
   * Keys of the job options that command line options set, by the name of the command line option.
   */
  static final Map<String, String> OPTIONS =
      Map.of(
          "executes", ProgramOptions.EXECUTES.key(),
          "src_dir", ProgramOptions.SRC_DIR.key(),
          "task_params", ProgramOptions.TASK_PARAMS.key(),
          "python_venv", ProgramOptions.PYTHON_VENV.key(),
          "python_binary_path", ProgramOptions.PYTHON_BINARY_PATH.key(),
          "hdfs_classpath", ProgramOptions.HDFS_CLASSPATH.key(),
          "conf_file", ProgramOptions.CONF_FILE.key(),
          "sidecar_tensorboard_log_dir", JobOptions.TENSORBOARD_LOG_DIR.key());

  /**
   * The two command line options of LinkedIn's TonY that set an environment variable of tasks. If
   * both set the same variable, the second option applies.
   */
  private static final List<String> ENV_OPTIONS = List.of("container_env", "shell_env");

  /** Names of all command line options that describe the job and have a value. */
  public static final Set<String> OPTION_NAMES = optionNames();

  /** Name, in the configuration and in messages, of the command line as a source of options. */
  public static final String COMMAND_LINE = "command line";

  private static final String SITE_PREFIX = "site.";

  /** File read by default, if the job names no configuration file. */
  private static final String TONY_XML = "tony.xml";

  /**
   * Prefix of the keys by which the job type names properties of the step whose values it does not
   * pass on. For a property NAME, it passes {@code other.NAME} with an empty value, so that the
   * client can warn about NAME.
   */
  private static final String WITHHELD_PREFIX = "other.";

  /**
   * Options that a step may not set, because they decide which cluster gets the credentials of
   * Azkaban's own user.
   */
  private static final Set<String> SITE_ONLY_OPTIONS =
      Set.of(ClientOptions.HDFS_CONF_PATH.key(), ClientOptions.YARN_CONF_PATH.key());

  /**
   * Default options of steps of Azkaban: if the client of a step is lost, the job ends after this
   * time. A new execution of the flow has a new id, so no later client would look for the job.
   */
  private static final Map<String, String> JOB_TYPE_DEFAULTS =
      Map.of(JobOptions.CLIENT_LOST_TIMEOUT.key(), "30m");

  /**
   * Options that describe the Azkaban step, its execution and its attempt. In a step, only Azkaban
   * may set them.
   */
  private static final Set<String> STEP_OPTIONS = stepOptions();

  private JobSources() {}

  private static Set<String> optionNames() {
    Set<String> names = new HashSet<>(OPTIONS.keySet());
    names.addAll(ENV_OPTIONS);
    names.addAll(Set.of("conf", "job_file"));
    return Set.copyOf(names);
  }

  private static Set<String> stepOptions() {
    Set<String> keys =
        new HashSet<>(
            Set.of(
                AzkabanOptions.ATTEMPT.key(),
                AzkabanOptions.RETRIES.key(),
                AzkabanOptions.EXECUTION_SOURCE.key(),
                AzkabanOptions.FLOW_START.key()));
    AzkabanOptions.identity().forEach(option -> keys.add(option.key()));
    return Set.copyOf(keys);
  }

  /**
   * Returns the job's configuration from all sources.
   *
   * @throws InvalidJobException with the problems of all sources
   */
  public static TonyConfig read(
      Arguments arguments, Map<String, String> environment, JobFolder folder, Configuration hadoop)
      throws InvalidJobException {
    return read(arguments, environment, folder, hadoop, properties -> {});
  }

  /**
   * Like {@link #read(Arguments, Map, JobFolder, Configuration)}, but also passes the properties in
   * the job file to {@code properties}, so that callers need not read the file again.
   *
   * @param properties receives the properties before they are parsed as options; the value is null
   *     for a property whose value the job type does not pass on
   * @throws InvalidJobException with the problems of all sources
   */
  public static TonyConfig read(
      Arguments arguments,
      Map<String, String> environment,
      JobFolder folder,
      Configuration hadoop,
      Consumer<Map<String, String>> properties)
      throws InvalidJobException {
    List<String> problems = new ArrayList<>();
    Map<String, String> jobFile = jobFile(arguments, problems);
    properties.accept(properties(jobFile));
    JobInputs inputs = jobInputs(arguments, jobFile, problems);
    return requireValid(layeredConfig(environment, folder, hadoop, inputs, problems), problems);
  }

  /**
   * Returns the configuration of a job that was submitted before. Problems in the sources are only
   * logged.
   */
  public static TonyConfig readLeniently(
      Arguments arguments, Map<String, String> environment, JobFolder folder, Configuration hadoop)
      throws InvalidJobException {
    List<String> problems = new ArrayList<>();
    JobInputs inputs = jobInputs(arguments, jobFile(arguments, problems), problems);
    TonyConfig config = layeredConfig(environment, folder, hadoop, inputs, problems);
    problems.forEach(problem -> LOG.warn("{}", problem));
    return config;
  }

  /**
   * Returns the properties of the job itself in the job file; null as value of those whose value
   * the job type does not pass on.
   */
  private static Map<String, String> properties(Map<String, String> jobFile) {
    Map<String, String> properties = new HashMap<>();
    jobFile.forEach(
        (key, value) -> {
          if (key.startsWith(WITHHELD_PREFIX)) {
            properties.put(key.substring(WITHHELD_PREFIX.length()), null);
          } else if (!key.startsWith(SITE_PREFIX)) {
            properties.put(key, value);
          }
        });
    return properties;
  }

  private static TonyConfig requireValid(TonyConfig config, List<String> problems)
      throws InvalidJobException {
    if (!problems.isEmpty()) {
      throw new InvalidJobException(problems);
    }
    return config;
  }

  private static JobInputs jobInputs(
      Arguments arguments, Map<String, String> jobFile, List<String> problems) {
    Map<String, String> site = new LinkedHashMap<>();
    Map<String, String> job = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry : jobFile.entrySet()) {
      if (entry.getKey().startsWith(SITE_PREFIX)) {
        site.put(entry.getKey().substring(SITE_PREFIX.length()), entry.getValue());
      } else if (!entry.getKey().startsWith(WITHHELD_PREFIX)) {
        job.put(entry.getKey(), entry.getValue());
      }
    }
    return new JobInputs(site, job, commandLine(arguments, problems));
  }

  /**
   * Options of one job, by source.
   *
   * @param site the administrator's defaults
   * @param step properties of the step, with references resolved by Azkaban
   * @param commandLine options from the command line, by the keys of job options
   */
  public record JobInputs(
      Map<String, String> site, Map<String, String> step, Map<String, String> commandLine) {}

  /**
   * Like {@link #read(Arguments, Map, JobFolder, Configuration)}, for a job whose command line and
   * job file have been read already.
   *
   * @throws InvalidJobException with the problems of all sources
   */
  public static TonyConfig read(
      JobInputs inputs, Map<String, String> environment, JobFolder folder, Configuration hadoop)
      throws InvalidJobException {
    List<String> problems = new ArrayList<>();
    return requireValid(layeredConfig(environment, folder, hadoop, inputs, problems), problems);
  }

  private static TonyConfig layeredConfig(
      Map<String, String> environment,
      JobFolder folder,
      Configuration hadoop,
      JobInputs inputs,
      List<String> problems) {
    Map<String, String> job = new LinkedHashMap<>();
    if (!inputs.step().isEmpty()) {
      job.putAll(
          JobTranslation.translate(inputs.step(), name -> Files.exists(folder.resolve(name))));
    }
    TonyConfig.Builder builder = TonyConfig.builder();
    if (folder.isConfined()) {
      builder.layer("the job type", JOB_TYPE_DEFAULTS);
    }
    String confDir = environment.getOrDefault("TONY_CONF_DIR", "");
    if (!confDir.isEmpty()) {
      String file = Path.of(confDir, "tony-site.xml").toString();
      if (Files.isReadable(Path.of(file))) {
        builder.layer(file, xml(file, JobFolder.of(folder.path()), hadoop, problems));
      } else { // the site's limits must not vanish unnoticed
        problems.add(
            "TONY_CONF_DIR is "
                + confDir
                + ", which has no tony-site.xml that can be read here: set it to the folder of that"
                + " file, or unset it");
      }
    }
    if (folder.isConfined()) {
      builder.layer("plugin.properties", new TonyXml(inputs.site(), SITE_ONLY_OPTIONS));
      Map<String, String> step = new LinkedHashMap<>(job);
      step.keySet().retainAll(STEP_OPTIONS);
      job.keySet().removeAll(STEP_OPTIONS);
      builder.layer("Azkaban", new TonyXml(step, STEP_OPTIONS));
    } else {
      builder.layer("plugin.properties", inputs.site());
    }
    confFile(inputs.commandLine(), job, folder)
        .ifPresent(
            file -> builder.layer(Secrets.maskText(file), xml(file, folder, hadoop, problems)));
    return builder.layer("job properties", job).layer(COMMAND_LINE, inputs.commandLine()).build();
  }

  private static Optional<String> confFile(
      Map<String, String> commandLine, Map<String, String> job, JobFolder folder) {
    TonyConfig named =
        TonyConfig.builder().layer("job properties", job).layer(COMMAND_LINE, commandLine).build();
    return named
        .find(ProgramOptions.CONF_FILE)
        .or(() -> Optional.of(TONY_XML).filter(file -> Files.exists(folder.resolve(file))));
  }

  private static Map<String, String> jobFile(Arguments arguments, List<String> problems) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String file : arguments.all("job_file")) {
      Properties properties = new Properties();
      try (BufferedReader reader = Files.newBufferedReader(Path.of(file), StandardCharsets.UTF_8)) {
        properties.load(reader);
      } catch (IOException | IllegalArgumentException e) {
        problems.add("the job file " + file + " cannot be read: " + e);
      }
      for (String key : properties.stringPropertyNames()) {
        values.put(key, properties.getProperty(key));
      }
    }
    return values;
  }

  private static Map<String, String> commandLine(Arguments arguments, List<String> problems) {
    Map<String, String> values = new LinkedHashMap<>();
    OPTIONS.forEach((name, key) -> arguments.last(name).ifPresent(value -> values.put(key, value)));
    for (String option : ENV_OPTIONS) {
      for (String env : arguments.all(option)) {
        split(
            env,
            "-" + option,
            problems,
            (name, value) -> values.put(ProgramOptions.EXECUTION_ENV.at(name).key(), value));
      }
    }
    for (String conf : arguments.all("conf")) {
      split(conf, "-conf", problems, values::put);
    }
    return values;
  }

  /**
   * Returns the values of a repeatable command line option of the form {@code NAME=VALUE}, by name.
   *
   * @throws InvalidJobException if a value does not have this form
   */
  public static Map<String, String> pairs(Arguments arguments, String option)
      throws InvalidJobException {
    Map<String, String> pairs = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    arguments.all(option).forEach(text -> split(text, "-" + option, problems, pairs::put));
    if (!problems.isEmpty()) {
      throw new InvalidJobException(problems);
    }
    return pairs;
  }

  private interface PairConsumer {
    void accept(String name, String value);
  }

  private static void split(
      String text, String option, List<String> problems, PairConsumer consumer) {
    int equals = text.indexOf('=');
    if (equals < 1) {
      problems.add(option + " " + Secrets.maskText(text) + " is not NAME=VALUE");
    } else {
      consumer.accept(text.substring(0, equals), text.substring(equals + 1));
    }
  }

  private static TonyXml xml(
      String file, JobFolder folder, Configuration hadoop, List<String> problems) {
    try (InputStream in = open(file, folder, hadoop)) {
      return TonyXml.parse(in, file);
    } catch (IOException | RuntimeException e) {
      problems.add(Secrets.maskText(file + " cannot be read: " + e.getMessage()));
      return new TonyXml(Map.of(), Set.of());
    }
  }

  private static InputStream open(String file, JobFolder folder, Configuration hadoop)
      throws IOException {
    if (file.contains("://") && !file.startsWith("file:")) {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
      Optional<String> refused = folder.refusal(path.toUri(), hadoop);
      if (refused.isPresent()) {
        throw new IOException(refused.get());
      }
      FileSystem fs = path.getFileSystem(hadoop);
      return fs.open(path);
    }
    return folder.file(folder.resolve(file)).open();
  }
}
