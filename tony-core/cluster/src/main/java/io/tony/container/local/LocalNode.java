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
 * Starts an application's containers on this machine, as a YARN NodeManager would: from launch
 * contexts, with the files, the tokens, and the environment variables that a NodeManager sets. Not
 * thread-safe.
 */
public final class LocalNode {
  /** Host name under which tasks reach each other and on which they listen. */
  public static final String HOST = "localhost";

  /**
   * Environment variables that containers inherit from this process. All others come from the
   * launch context.
   */
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

  /** Returns the log folder of a container. */
  public Path logs(ContainerId container) {
    return folders.logs(application.toString()).resolve(container.toString());
  }

  /**
   * Starts a container.
   *
   * @param extraVariables environment variables that override those of the launch context
   * @throws IOException if the container cannot be started; an empty log folder may remain
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
      // Safe to run in a shell: the command is TonY's own, and the user's JVM options and Java home
      // in it were checked by JvmCommand.unsafeOptions.
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

  /**
   * Returns one command line in which YARN's placeholders are replaced by quoted shell variables.
   */
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
