package io.tony.client.notebook;

import io.tony.client.source.InvalidJobException;
import io.tony.client.submit.Checkpoints;
import io.tony.config.TonyConfig;
import io.tony.config.declared.CheckpointOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.job.CommandLine;
import io.tony.config.job.JobSpecReader;
import io.tony.config.job.Problems;
import io.tony.model.DistributedMode;
import io.tony.model.JobSpec;
import io.tony.model.TaskId;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The job of a notebook: one task, whose program is {@code tony_notebook.py}. What its user's
 * options say about containers, files, Python and the environment holds for it, too.
 */
public final class NotebookJob {
  /** The task that the browser's connections lead to. */
  public static final TaskId TASK = new TaskId("notebook", 0);

  private static final String ORIGIN = "tony notebook";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final String OWN_COMMAND = "TONY_NOTEBOOK_COMMAND";
  private static final int TOKEN_BYTES = 24;

  /** It packs its files, and Jupyter ends its kernels. */
  private static final String STOP_GRACE_MS = "15000";

  private final String name;
  private final String token;

  private NotebookJob(String name, String token) {
    this.name = name;
    this.token = token;
  }

  /** A new one; by its name its files are found again. */
  public static NotebookJob named(String name) throws InvalidJobException {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidJobException(
          List.of(
              "-name is '"
                  + name
                  + "'; it is up to 64 letters, digits and . _ -, as in -name fraud"));
    }
    return new NotebookJob(name, newToken());
  }

  /** What a browser needs to be let in. */
  public String token() {
    return token;
  }

  /** What YARN shows. */
  public String application() {
    return "notebook " + name;
  }

  /**
   * The job, but for where its files are kept.
   *
   * @param read what its user's options say
   * @param ownCommand they say what is run in the place of Jupyter
   */
  public TonyConfig of(TonyConfig read, boolean ownCommand) {
    String role = TASK.role();
    Map<String, String> values = new TreeMap<>();
    // Of a training job's options, in the same folder.
    read.roles().stream()
        .filter(other -> !other.equals(JobSpec.TENSORBOARD))
        .forEach(other -> values.put(RoleOptions.INSTANCES.at(other).key(), "0"));
    values.put(RoleOptions.INSTANCES.at(role).key(), "1");
    values.put(JobOptions.NAME.key(), application());
    values.put(JobOptions.FRAMEWORK.key(), "standalone");
    values.put(JobOptions.DISTRIBUTED_MODE.key(), DistributedMode.GANG.name());
    values.put(CheckpointOptions.ROLES.key(), role);
    values.put(CheckpointOptions.RESUME.key(), "always");
    values.put(TaskOptions.HANG_TIMEOUT.key(), "0"); // its user thinks
    if (!read.isSet(TaskOptions.STOP_GRACE)) {
      values.put(TaskOptions.STOP_GRACE.key(), STOP_GRACE_MS);
    }
    values.put(tokenOption(), token);
    if (ownCommand || read.isSet(RoleOptions.COMMAND.at(role))) {
      String command =
          JobSpecReader.draft(read.with(ORIGIN, values), new Problems()).role(role).command();
      values.put(ProgramOptions.EXECUTION_ENV.at(OWN_COMMAND).key(), command);
    }
    values.put(
        RoleOptions.COMMAND.at(role).key(),
        CommandLine.python(read)
            + " -m tony_notebook --idle "
            + read.get(JobOptions.NOTEBOOK_IDLE_TIMEOUT).plusMillis(999).toSeconds());
    return read.with(ORIGIN, values);
  }

  /** The same with the folder in which its files are kept: the same one in each run. */
  public TonyConfig withFolder(TonyConfig job, Configuration conf) throws IOException {
    String folder = Checkpoints.folder(FileSystem.get(conf), "notebook-" + name);
    return job.with(ORIGIN, Map.of(JobOptions.CHECKPOINT_DIR.key(), folder));
  }

  private static String tokenOption() {
    return ProgramOptions.EXECUTION_ENV.at("JUPYTER_TOKEN").key();
  }

  private static String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** That of one that was submitted; nothing of another job. */
  public static Optional<String> token(TonyConfig job) {
    return Optional.ofNullable(job.asMap().get(tokenOption()));
  }
}
