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

/**
 * Checks the files that a job names. An earlier step of its flow may still make what is missing;
 * nothing makes up for what is refused.
 */
public final class FileCheck {
  private final TonyConfig config;
  private final JobSpec job;
  private final JobFolder folder;
  private final List<String> missing = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();

  /** Nothing is checked yet. */
  public FileCheck(TonyConfig config, JobSpec job, JobFolder folder) {
    this.config = config;
    this.job = job;
    this.folder = folder;
  }

  /** What is not there, or is not what it should be. */
  public List<String> missing() {
    return List.copyOf(missing);
  }

  /** What is not the job's to name, or is not where it must be. */
  public List<String> refused() {
    return List.copyOf(refused);
  }

  /** Checks the files of this machine. */
  public void local() {
    config.find(ProgramOptions.SRC_DIR).ifPresent(this::sourceFolder);
    script();
    forEach(
        (file, who) -> {
          if (!file.remote()) {
            shipped(who + " ships " + Secrets.maskText(file.source()), file);
          }
        });
  }

  private void sourceFolder(String source) {
    String named = "src_dir is " + Secrets.maskText(source);
    Path file = folder.resolve(source);
    if (refuses(named, file)) {
      return;
    }
    if (Files.isDirectory(file)) {
      contents("src_dir", file);
    } else {
      missing.add(named + ", which is not a folder in " + folder.path());
    }
  }

  private void shipped(String named, FileSpec shipped) {
    Path file = folder.resolve(shipped.source());
    if (refuses(named, file)) {
      return;
    }
    if (!Files.isReadable(file)) {
      missing.add(named + ", which cannot be read in " + folder.path());
    } else if (!SourceArchive.isFileOrFolder(file)) {
      missing.add(named + ", which is neither a file nor a folder");
    } else if (Files.isDirectory(file)) {
      contents(Secrets.maskText(shipped.source()), file);
    } else if (shipped.archive()) {
      archive(named, file);
    }
  }

  private boolean refuses(String named, Path file) {
    try {
      Optional<String> why = folder.refusal(file);
      why.ifPresent(reason -> refused.add(named + ", " + reason));
      return why.isPresent();
    } catch (IOException e) {
      missing.add(named + ", which cannot be read: " + e);
      return true;
    }
  }

  private void archive(String named, Path file) {
    try {
      Archives.problem(folder.file(file), file.getFileName().toString())
          .ifPresent(what -> missing.add(named + ", " + what));
    } catch (IOException e) {
      missing.add(named + ", which cannot be read: " + e);
    }
  }

  /** What of a folder cannot be shipped with it. */
  private void contents(String named, Path shipped) {
    try {
      List<Path> links = SourceArchive.unreadable(shipped, folder);
      if (!links.isEmpty()) {
        missing.add(
            named
                + " holds links that lead nowhere or in a circle, pipes or devices: "
                + links
                + ". Remove them");
        return;
      }
      List<Path> others = SourceArchive.refused(shipped, folder);
      if (!others.isEmpty()) {
        refuses(named + " holds " + others.get(0), others.get(0));
      }
    } catch (IOException e) {
      missing.add(named + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * With an interpreter, {@code executes} names a script; where it is shipped, it must be there.
   */
  private void script() {
    if (config.find(ProgramOptions.PYTHON_BINARY_PATH).isEmpty()
        || config.find(ProgramOptions.SRC_DIR).isEmpty()) {
      return;
    }
    Path source = folder.resolve(config.get(ProgramOptions.SRC_DIR));
    config
        .find(ProgramOptions.EXECUTES)
        .map(line -> line.strip().replaceFirst("\\s.*", ""))
        .filter(script -> script.endsWith(".py") && !script.startsWith("/"))
        .filter(script -> Files.isDirectory(source) && !Files.exists(source.resolve(script)))
        .ifPresent(
            script ->
                missing.add(
                    "executes names the script "
                        + script
                        + ", which is not in src_dir "
                        + source
                        + ": put it there, or name it relative to that folder"));
  }

  private void forEach(BiConsumer<FileSpec, String> check) {
    job.files().forEach(file -> check.accept(file, "the job"));
    for (RoleSpec role : job.roles()) {
      role.files().forEach(file -> check.accept(file, "role " + role.name()));
    }
  }

  /** Checks the files of other file systems. */
  public void remote(Configuration conf) {
    ownFolders(conf);
    for (String other : config.get(ClientOptions.OTHER_NAMENODES)) {
      String named = "tony.other.namenodes names " + Secrets.maskText(other);
      try {
        refuses(named, URI.create(other.strip()), conf);
      } catch (IllegalArgumentException e) {
        refused.add(named + ", which is no file system: write hdfs://host:port");
      }
    }
    for (String jars : config.get(ProgramOptions.HDFS_CLASSPATH)) {
      String named = "hdfs_classpath names " + Secrets.maskText(jars);
      find(jars, named, conf)
          .filter(found -> !found.isDirectory())
          .ifPresent(file -> missing.add(named + ", which is not a folder"));
    }
    forEach(
        (file, who) -> {
          if (file.remote()) {
            find(file.source(), who + " ships " + Secrets.maskText(file.source()), conf);
          }
        });
  }

  /** What the client and the ApplicationMaster keep lies on the default file system. */
  private void ownFolders(Configuration conf) {
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
        refused.add(
            config.describe(option.key())
                + " is not a folder of the default file system "
                + fs.getUri()
                + ": name one there");
      }
    }
  }

  private boolean refuses(String named, URI file, Configuration conf) {
    Optional<String> why = folder.refusal(file, conf);
    why.ifPresent(reason -> refused.add(named + ", " + reason));
    return why.isPresent();
  }

  /** What is there; told as missing where there is nothing. */
  private Optional<FileStatus> find(String source, String named, Configuration conf) {
    try {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(source);
      return refuses(named, path.toUri(), conf)
          ? Optional.empty()
          : Optional.of(path.getFileSystem(conf).getFileStatus(path));
    } catch (FileNotFoundException e) {
      missing.add(named + ", which does not exist");
    } catch (IOException | IllegalArgumentException e) {
      missing.add(
          named + ", which cannot be read: " + Secrets.maskText(String.valueOf(e.getMessage())));
    }
    return Optional.empty();
  }
}
