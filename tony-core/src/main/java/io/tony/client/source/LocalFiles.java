package io.tony.client.source;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.option.ConfigOption;
import io.tony.model.FileSpec;
import io.tony.model.JobSpec;
import io.tony.model.RoleSpec;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** Checks that what a job ships is there. */
public final class LocalFiles {
  private LocalFiles() {}

  /** What is missing on this machine, or is there and not the job's to ship. */
  public static List<String> problems(TonyConfig config, JobSpec job, JobFolder folder) {
    List<String> problems = new ArrayList<>();
    config
        .find(ProgramOptions.SRC_DIR)
        .flatMap(source -> sourceFolder(source, folder))
        .ifPresent(problems::add);
    script(config, folder).ifPresent(problems::add);
    forEach(
        job,
        (file, who) -> {
          if (!file.remote()) {
            shipped(who + " ships " + Secrets.maskText(file.source()), file.source(), folder)
                .ifPresent(problems::add);
          }
        });
    return problems;
  }

  private static Optional<String> sourceFolder(String source, JobFolder folder) {
    String named = "src_dir is " + Secrets.maskText(source);
    Optional<String> refused = refused(named, folder.resolve(source), folder);
    if (refused.isPresent()) {
      return refused;
    }
    return Files.isDirectory(folder.resolve(source))
        ? contents("src_dir", folder.resolve(source), folder)
        : Optional.of(named + ", which is not a folder in " + folder.path());
  }

  private static Optional<String> shipped(String named, String source, JobFolder folder) {
    Path file = folder.resolve(source);
    Optional<String> refused = refused(named, file, folder);
    if (refused.isPresent()) {
      return refused;
    }
    if (!Files.isReadable(file)) {
      return Optional.of(named + ", which cannot be read in " + folder.path());
    }
    return Files.isDirectory(file)
        ? contents(Secrets.maskText(source), file, folder)
        : Optional.empty();
  }

  private static Optional<String> refused(String named, Path file, JobFolder folder) {
    try {
      return folder.refusal(file).map(why -> named + ", " + why);
    } catch (IOException e) {
      return Optional.of(named + ", which cannot be read: " + e);
    }
  }

  /** What is missing in other file systems. */
  public static List<String> remoteProblems(
      TonyConfig config, JobSpec job, JobFolder folder, Configuration conf) {
    List<String> problems = new ArrayList<>();
    ownFolders(config, conf, problems);
    for (String other : config.get(ClientOptions.OTHER_NAMENODES)) {
      folder
          .refusal(URI.create(other.strip()))
          .ifPresent(why -> problems.add("tony.other.namenodes names " + other + ", " + why));
    }
    for (String jars : config.get(ProgramOptions.HDFS_CLASSPATH)) {
      String named = "hdfs_classpath names " + Secrets.maskText(jars) + ", ";
      find(jars, named, folder, conf, problems)
          .filter(found -> !found.isDirectory())
          .ifPresent(file -> problems.add(named + "which is not a folder"));
    }
    forEach(
        job,
        (file, who) -> {
          if (file.remote()) {
            String named = who + " ships " + Secrets.maskText(file.source()) + ", ";
            find(file.source(), named, folder, conf, problems);
          }
        });
    return problems;
  }

  /** What the client and the ApplicationMaster keep lies on the default file system. */
  private static void ownFolders(TonyConfig config, Configuration conf, List<String> problems) {
    FileSystem fs;
    try {
      fs = FileSystem.get(conf);
    } catch (IOException | RuntimeException e) {
      return; // whoever uses it says why there is none
    }
    for (ConfigOption<String> option :
        List.of(
            ClientOptions.STAGING_LOCATION,
            ClientOptions.CACHE_LOCATION,
            ClientOptions.HISTORY_LOCATION)) {
      try {
        fs.makeQualified(new org.apache.hadoop.fs.Path(config.get(option)));
      } catch (IllegalArgumentException e) {
        problems.add(
            config.describe(option.key())
                + " is not a folder of the default file system "
                + fs.getUri()
                + ": name one there");
      }
    }
  }

  private static void forEach(JobSpec job, BiConsumer<FileSpec, String> check) {
    job.files().forEach(file -> check.accept(file, "the job"));
    for (RoleSpec role : job.roles()) {
      role.files().forEach(file -> check.accept(file, "role " + role.name()));
    }
  }

  /** What of a folder cannot be shipped with it. */
  private static Optional<String> contents(String named, Path shipped, JobFolder folder) {
    try {
      List<Path> links = SourceArchive.unreadable(shipped, folder);
      if (!links.isEmpty()) {
        return Optional.of(
            named + " holds links that lead nowhere or in a circle: " + links + ". Remove them");
      }
      List<Path> refused = SourceArchive.refused(shipped, folder);
      return refused.isEmpty()
          ? Optional.empty()
          : Optional.of(
              named + " holds " + refused.get(0) + ", " + folder.refusal(refused.get(0)).get());
    } catch (IOException e) {
      return Optional.of(named + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * With an interpreter, {@code executes} names a script; where it is shipped, it must be there.
   */
  private static Optional<String> script(TonyConfig config, JobFolder folder) {
    if (config.find(ProgramOptions.PYTHON_BINARY_PATH).isEmpty()
        || config.find(ProgramOptions.SRC_DIR).isEmpty()) {
      return Optional.empty();
    }
    Path source = folder.resolve(config.get(ProgramOptions.SRC_DIR));
    return config
        .find(ProgramOptions.EXECUTES)
        .map(line -> line.strip().replaceFirst("\\s.*", ""))
        .filter(script -> script.endsWith(".py") && !script.startsWith("/"))
        .filter(script -> Files.isDirectory(source) && !Files.exists(source.resolve(script)))
        .map(
            script ->
                "executes names the script "
                    + script
                    + ", which is not in src_dir "
                    + source
                    + ": put it there, or name it relative to that folder");
  }

  /** What is there; told as a problem where there is nothing. */
  private static Optional<FileStatus> find(
      String source, String named, JobFolder folder, Configuration conf, List<String> problems) {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(source);
    Optional<String> refused = folder.refusal(path.toUri());
    if (refused.isPresent()) {
      problems.add(named + refused.get());
      return Optional.empty();
    }
    try {
      return Optional.of(path.getFileSystem(conf).getFileStatus(path));
    } catch (FileNotFoundException e) {
      problems.add(named + "which does not exist");
    } catch (IOException | IllegalArgumentException e) {
      problems.add(
          named + "which cannot be read: " + Secrets.maskText(String.valueOf(e.getMessage())));
    }
    return Optional.empty();
  }
}
