package io.tony.client.notebook;

import io.tony.client.input.InvalidJobException;
import io.tony.client.input.JobSources;
import io.tony.client.submit.CheckpointLocation;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.job.CommandLine;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The job that {@code tony notebook} submits: one task, which runs Jupyter by the script {@code
 * tony_notebook.py}. The user's options for containers, files, Python and the environment apply as
 * to any other job.
 */
public final class NotebookJob {
  /** The job's only task, in which Jupyter runs. */
  public static final TaskId TASK = new TaskId("notebook", 0);

  private static final String ORIGIN = "tony notebook";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final String COMMAND_VARIABLE = "TONY_NOTEBOOK_COMMAND";

  /**
   * Path of the script. Run as a file rather than as a module, so that the user's modules cannot
   * replace those that the script imports.
   */
  private static final String PROGRAM = ".tony/python/tony_notebook.py";

  private static final int TOKEN_BYTES = 24;

  /**
   * Minimum time between the request to stop and the kill of the notebook. In this time, Jupyter
   * ends its kernels, the script packs the notebook's files, and the executor copies the packed
   * files.
   */
  private static final Duration MIN_STOP_GRACE = Duration.ofSeconds(15);

  /**
   * Job options that a notebook ignores, because they are for training jobs: the folder may contain
   * the tony.xml of a training job.
   */
  private static final Set<String> TRAINING_OPTIONS =
      Set.of(
          ProgramOptions.COMMAND.key(),
          JobOptions.FRAMEWORK.key(),
          JobOptions.DISTRIBUTED_MODE.key(),
          JobOptions.UNTRACKED_ROLES.key(),
          JobOptions.SIDECAR_ROLES.key(),
          JobOptions.STOP_ON_FAILURE_ROLES.key(),
          JobOptions.SUCCESS_POLICY.key(),
          JobOptions.ENABLE_PREPROCESS.key(),
          JobOptions.PREPARE_STAGE.key(),
          JobOptions.TRAINING_STAGE.key(),
          TaskOptions.HANG_TIMEOUT.key());

  private final String name;
  private final String token;

  private NotebookJob(String name, String token) {
    this.name = name;
    this.token = token;
  }

  /**
   * Creates a notebook's job, with a new token. Notebooks with the same name share their files: a
   * new one finds those of earlier runs.
   *
   * @throws InvalidJobException if the name is malformed
   */
  public static NotebookJob create(String name) throws InvalidJobException {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidJobException(
          List.of(
              "-name is '"
                  + name
                  + "'; it begins with a letter or digit and has at most 64 letters, digits, '.', '_'"
                  + " or '-', as in -name fraud"));
    }
    return new NotebookJob(name, newToken());
  }

  private static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Returns Jupyter's token: the secret with which a browser authenticates. */
  public String token() {
    return token;
  }

  /** Returns the name of the notebook's application in YARN. */
  public String applicationName() {
    return "notebook " + name;
  }

  /**
   * Returns the user's options, without those that a notebook ignores and with those that it needs.
   * {@link #withFolder} adds the folder for the notebook's files.
   */
  public TonyConfig withNotebookOptions(TonyConfig given) {
    TonyConfig base = given.without(trainingOptions(given));
    String role = TASK.role();
    Map<String, String> values = new TreeMap<>();
    values.put(RoleOptions.INSTANCES.at(role).key(), "1");
    values.put(JobOptions.NAME.key(), applicationName());
    values.put(JobOptions.FRAMEWORK.key(), "standalone");
    values.put(CheckpointOptions.ROLES.key(), role);
    values.put(CheckpointOptions.RESUME.key(), "always");
    if (base.get(TaskOptions.STOP_GRACE).compareTo(MIN_STOP_GRACE) < 0) {
      values.put(TaskOptions.STOP_GRACE.key(), MIN_STOP_GRACE.toMillis() + "ms");
    }
    values.put(tokenOption(), token);
    String command =
        JobSpecReader.readLeniently(base.with(ORIGIN, values), new Problems()).role(role).command();
    if (!command.isBlank()) {
      values.put(RoleOptions.ENV.at(role, COMMAND_VARIABLE).key(), command);
    }
    values.put(
        RoleOptions.COMMAND.at(role).key(),
        CommandLine.python(base)
            + " "
            + PROGRAM
            + " --idle "
            + base.get(JobOptions.NOTEBOOK_IDLE_TIMEOUT).plusMillis(999).toSeconds());
    return base.with(ORIGIN, values);
  }

  /**
   * Returns a predicate for the keys of options that a notebook ignores. Includes the command of
   * the job, unless it was given on the command line.
   */
  private static Predicate<String> trainingOptions(TonyConfig given) {
    List<String> otherRoles =
        given.roles().stream()
            .filter(role -> !role.equals(TASK.role()) && !role.equals(JobSpec.TENSORBOARD))
            .map(role -> "tony." + role + ".")
            .toList();
    return key ->
        TRAINING_OPTIONS.contains(key)
            || otherRoles.stream().anyMatch(key::startsWith)
            || JobOptions.GROUP.names(key).isPresent()
            || JobOptions.GROUP_TIMEOUT.names(key).isPresent()
            || JobOptions.GROUP_TIMEOUT_IGNORED.names(key).isPresent()
            || (Set.of(ProgramOptions.EXECUTES.key(), ProgramOptions.TASK_PARAMS.key())
                    .contains(key)
                && !given.origin(key).equals(Optional.of(JobSources.COMMAND_LINE)));
  }

  /**
   * Returns the options with the folder for the notebook's files, which is the same in each run.
   */
  public TonyConfig withFolder(TonyConfig job, Configuration conf) throws IOException {
    String folder = CheckpointLocation.uri(FileSystem.get(conf), "notebook-" + name);
    return job.with(ORIGIN, Map.of(JobOptions.CHECKPOINT_DIR.key(), folder));
  }

  private static String tokenOption() {
    return RoleOptions.ENV.at(TASK.role(), "JUPYTER_TOKEN").key();
  }

  /**
   * Returns Jupyter's token, from the configuration of a submitted job; empty if the job is not a
   * notebook.
   */
  public static Optional<String> token(TonyConfig job) {
    return job.find(RoleOptions.COMMAND.at(TASK.role()))
        .filter(command -> command.contains(PROGRAM))
        .map(command -> job.asMap().get(tokenOption()));
  }
}
