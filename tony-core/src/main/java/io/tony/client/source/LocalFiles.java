package io.tony.client.source;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ProgramOptions;
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

/** Checks that what a job ships is there. */
public final class LocalFiles {
  private LocalFiles() {}

  /** A path as the user wrote it: absolute, {@code file:}, or relative to the job's folder. */
  public static Path resolve(Path workingDirectory, String source) {
    return source.startsWith("file:")
        ? Path.of(URI.create(source).getPath())
        : workingDirectory.resolve(source);
  }

  /** What is missing on this machine. */
  public static List<String> problems(TonyConfig config, JobSpec job, Path workingDirectory) {
    List<String> problems = new ArrayList<>();
    config
        .find(ProgramOptions.SRC_DIR)
        .filter(folder -> !Files.isDirectory(resolve(workingDirectory, folder)))
        .ifPresent(
            folder ->
                problems.add(
                    "src_dir is "
                        + Secrets.maskText(folder)
                        + ", which is not a folder in "
                        + workingDirectory));
    links(config, workingDirectory).ifPresent(problems::add);
    script(config, workingDirectory).ifPresent(problems::add);
    forEach(
        job,
        (file, who) -> {
          if (!file.remote() && !Files.isReadable(resolve(workingDirectory, file.source()))) {
            problems.add(
                who
                    + " ships "
                    + Secrets.maskText(file.source())
                    + ", which cannot be read in "
                    + workingDirectory);
          }
        });
    return problems;
  }

  /** What is missing in other file systems. */
  public static List<String> remoteProblems(TonyConfig config, JobSpec job, Configuration conf) {
    List<String> problems = new ArrayList<>();
    for (String folder : config.get(ProgramOptions.HDFS_CLASSPATH)) {
      String named = "hdfs_classpath names " + Secrets.maskText(folder) + ", which ";
      find(folder, named, conf, problems)
          .filter(found -> !found.isDirectory())
          .ifPresent(file -> problems.add(named + "is not a folder"));
    }
    forEach(
        job,
        (file, who) -> {
          if (file.remote()) {
            String named = who + " ships " + Secrets.maskText(file.source()) + ", which ";
            find(file.source(), named, conf, problems);
          }
        });
    return problems;
  }

  private static void forEach(JobSpec job, BiConsumer<FileSpec, String> check) {
    job.files().forEach(file -> check.accept(file, "the job"));
    for (RoleSpec role : job.roles()) {
      role.files().forEach(file -> check.accept(file, "role " + role.name()));
    }
  }

  private static Optional<String> links(TonyConfig config, Path workingDirectory) {
    Optional<Path> source =
        config
            .find(ProgramOptions.SRC_DIR)
            .map(folder -> resolve(workingDirectory, folder))
            .filter(Files::isDirectory);
    try {
      List<Path> links = source.isEmpty() ? List.of() : SourceArchive.unreadable(source.get());
      return links.isEmpty()
          ? Optional.empty()
          : Optional.of(
              "src_dir holds links that lead nowhere or in a circle: " + links + ". Remove them");
    } catch (IOException e) {
      return Optional.of("src_dir cannot be read: " + e);
    }
  }

  /**
   * With an interpreter, {@code executes} names a script; where it is shipped, it must be there.
   */
  private static Optional<String> script(TonyConfig config, Path workingDirectory) {
    if (config.find(ProgramOptions.PYTHON_BINARY_PATH).isEmpty()
        || config.find(ProgramOptions.SRC_DIR).isEmpty()) {
      return Optional.empty();
    }
    Path source = resolve(workingDirectory, config.get(ProgramOptions.SRC_DIR));
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
      String source, String named, Configuration conf, List<String> problems) {
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(source);
    try {
      return Optional.of(path.getFileSystem(conf).getFileStatus(path));
    } catch (FileNotFoundException e) {
      problems.add(named + "does not exist");
    } catch (IOException e) {
      problems.add(named + "cannot be read: " + Secrets.maskText(String.valueOf(e.getMessage())));
    }
    return Optional.empty();
  }
}
