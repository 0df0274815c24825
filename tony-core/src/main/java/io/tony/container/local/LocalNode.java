package io.tony.container.local;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/**
 * Starts an application's containers on this machine, from the form that YARN's nodes would start
 * them from: with its files, its tokens, and the variables that a node sets. Used by one thread.
 */
public final class LocalNode {
  /** How tasks call each other, and where all of them listen. */
  public static final String HOST = "localhost";

  /** Of the environment that the client was started in; the rest is for the job to name. */
  private static final List<String> INHERITED_VARIABLES =
      List.of(
          "PATH",
          "HOME",
          "USER",
          "LOGNAME",
          "SHELL",
          "LANG",
          "LC_ALL",
          "TZ",
          "TMPDIR",
          "LD_LIBRARY_PATH",
          "VIRTUAL_ENV",
          "CONDA_PREFIX",
          "HADOOP_HOME",
          "HADOOP_CONF_DIR",
          "HADOOP_COMMON_HOME",
          "HADOOP_HDFS_HOME",
          "HADOOP_YARN_HOME");

  private static final Pattern VARIABLE = Pattern.compile("\\{\\{([A-Za-z0-9_]+)}}");

  private final LocalClusterFolders folders;
  private final ApplicationId application;
  private final LocalFiles files;

  public LocalNode(Configuration conf, LocalClusterFolders folders, ApplicationId application) {
    this.folders = folders;
    this.application = application;
    this.files =
        new LocalFiles(conf, folders, work().resolve("files-" + ProcessHandle.current().pid()));
  }

  private Path work() {
    return folders.work(application.toString());
  }

  /** Where a container writes its logs. */
  public Path logs(ContainerId container) {
    return folders.logs(application.toString()).resolve(container.toString());
  }

  /**
   * Starts a container.
   *
   * @param extraVariables variables beside those of the form
   * @throws IOException when it cannot be started; nothing of it is left but an empty log folder
   */
  public LocalContainer start(
      ContainerId container,
      ContainerLaunchContext launchContext,
      Map<String, String> extraVariables)
      throws IOException, InterruptedException {
    Path folder = work().resolve(container.toString());
    Path logs = LocalClusterFolders.create(logs(container));
    LocalClusterFolders.create(folder);
    boolean started = false;
    try {
      files.link(launchContext.getLocalResources(), folder);
      Path tokens = writeTokens(launchContext.getTokens(), folder);
      // What a shell reads here is our own command line: of a user's values it has none.
      ProcessBuilder builder =
          new ProcessBuilder("setsid", "bash", "-c", command(launchContext.getCommands()))
              .directory(folder.toFile())
              .redirectInput(new File("/dev/null"))
              .redirectErrorStream(true)
              .redirectOutput(logs.resolve("start.log").toFile());
      Map<String, String> environment = builder.environment();
      environment.keySet().retainAll(INHERITED_VARIABLES);
      environment.put(Environment.JAVA_HOME.name(), System.getProperty("java.home"));
      environment.put(Environment.CONTAINER_ID.name(), container.toString());
      environment.put(Environment.NM_HOST.name(), HOST);
      environment.put(Environment.LOCAL_DIRS.name(), work().toString());
      environment.put(Environment.LOG_DIRS.name(), logs.toString());
      environment.put(Environment.PWD.name(), folder.toString());
      environment.putAll(folders.toEnvironment());
      environment.put(UserGroupInformation.HADOOP_TOKEN_FILE_LOCATION, tokens.toString());
      Map<String, String> baseEnvironment = Map.copyOf(environment);
      launchContext
          .getEnvironment()
          .forEach((name, value) -> environment.put(name, expand(value, baseEnvironment)));
      environment.putAll(extraVariables);
      LocalContainer running = LocalContainer.start(builder, folder);
      started = true;
      return running;
    } finally {
      if (!started) {
        LocalClusterFolders.delete(folder);
      }
    }
  }

  private static Path writeTokens(ByteBuffer tokens, Path folder) throws IOException {
    Path file = folder.resolve("container_tokens");
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    byte[] bytes = new byte[tokens.remaining()];
    tokens.duplicate().get(bytes);
    return Files.write(file, bytes);
  }

  /** With variables as a shell has them, in quotes. */
  private static String command(List<String> commands) {
    String command = String.join(" ", commands);
    command =
        command.replace(
            ApplicationConstants.LOG_DIR_EXPANSION_VAR, "\"$" + Environment.LOG_DIRS + "\"");
    return VARIABLE.matcher(command).replaceAll("\"\\$$1\"");
  }

  private static String expand(String value, Map<String, String> environment) {
    Matcher names = VARIABLE.matcher(value);
    String expanded =
        names.replaceAll(
            name -> Matcher.quoteReplacement(environment.getOrDefault(name.group(1), "")));
    return expanded.replace(ApplicationConstants.CLASS_PATH_SEPARATOR, File.pathSeparator);
  }
}
