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
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
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
  private final List<String> warnings = new ArrayList<>();

  /** What the job's archive of sources holds; null where it ships a folder or nothing. */
  private ArchiveListing source;

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

  /** What may keep a program from starting on a node. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Checks the files of this machine. */
  public void local() {
    if (config.isBlank(ProgramOptions.SRC_DIR)) {
      warnings.add(
          "src_dir is blank: that counts as none, and only a folder src is shipped, where there is"
              + " one. For all of the job's folder write src_dir=.");
    }
    config.find(ProgramOptions.SRC_DIR).ifPresent(this::source);
    script();
    forEach(
        (file, who) -> {
          if (!file.remote()) {
            shipped(who + " ships " + Secrets.maskText(file.source()), file);
          }
        });
    ShippedPrograms programs = new ShippedPrograms(folder);
    programs.check(job.files(), job.roles());
    missing.addAll(programs.errors());
    warnings.addAll(programs.warnings());
    names(Map.of());
  }

  private void source(String named) {
    String message = "src_dir is " + Secrets.maskText(named);
    Path file = folder.resolve(named);
    if (refuses(message, file)) {
      return;
    }
    if (Files.isDirectory(file)) {
      contents("src_dir", file);
    } else if (Files.isRegularFile(file)) {
      sourceArchive(message, file);
    } else {
      missing.add(message + ", which is neither a folder nor an archive in " + folder.path());
    }
  }

  private void sourceArchive(String message, Path file) {
    try {
      LocalFile archive = folder.file(file);
      Optional<ArchiveReader.Format> format = ArchiveReader.format(archive);
      if (format.isEmpty()) {
        missing.add(
            message
                + ", which is neither a folder nor a whole .zip, .tar, .tar.gz or .tgz archive: name"
                + " one of these, or ship the file with tony.containers.resources");
        return;
      }
      source =
          ArchiveListing.read(archive, format.get(), SourceArchive.MAX_UNPACKED, listing -> false);
      SourceArchive.problem(source).ifPresent(what -> refused.add(message + ", " + what));
    } catch (IOException e) {
      missing.add(message + ", which cannot be read: " + e.getMessage());
    }
  }

  /**
   * Checks that no two things would have one name in a task's working directory.
   *
   * @param jars those of {@code hdfs_classpath}, each with its folder
   */
  private void names(Map<String, String> jars) {
    TaskFolder names = new TaskFolder();
    jars.forEach((jar, from) -> names.add(jar, "hdfs_classpath " + from));
    Optional<String> named = config.find(ProgramOptions.SRC_DIR);
    for (String name : sourceNames()) {
      names.add(name, "a file of src_dir " + Secrets.maskText(named.orElse("")));
    }
    add(besides(jars, job.files()), "the job", names);
    refused.addAll(names.clashes());
    for (RoleSpec role : job.roles()) {
      TaskFolder ofRole = names.copy();
      add(besides(jars, role.files()), "role " + role.name(), ofRole);
      refused.addAll(ofRole.clashes());
    }
  }

  /** Without those that are a jar of {@code hdfs_classpath} once more. */
  private static List<FileSpec> besides(Map<String, String> jars, List<FileSpec> files) {
    return files.stream()
        .filter(file -> file.archive() || !isJar(file, jars.get(file.name())))
        .toList();
  }

  private static boolean isJar(FileSpec file, String folderOfJars) {
    return folderOfJars != null
        && file.remote()
        && pathOf(file.source()).equals(pathOf(folderOfJars + "/" + file.name()));
  }

  private static String pathOf(String remote) {
    return new org.apache.hadoop.fs.Path(remote).toUri().getPath();
  }

  private void add(List<FileSpec> files, String who, TaskFolder names) {
    for (FileSpec file : files) {
      if (!isInSource(file)) {
        names.add(file.name(), Secrets.maskText(file.source()) + " of " + who);
      }
    }
  }

  /** What {@code src_dir} has at its top, but for the folder that YARN makes, too. */
  private List<String> sourceNames() {
    List<String> names = new ArrayList<>();
    if (source != null) {
      names.addAll(source.top());
    } else if (config.find(ProgramOptions.SRC_DIR).isPresent()) {
      Path top = folder.resolve(config.get(ProgramOptions.SRC_DIR));
      try (DirectoryStream<Path> files = Files.newDirectoryStream(top)) {
        for (Path file : files) {
          if (!folder.withholds(file.getFileName()) && folder.refusal(file).isEmpty()) {
            names.add(file.getFileName().toString());
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        // Told where its contents are checked.
      }
    }
    names.remove("tmp");
    Collections.sort(names);
    return names;
  }

  /** Whether it is the file that a task finds under this name anyhow. */
  private boolean isInSource(FileSpec file) {
    if (file.remote() || source != null || config.find(ProgramOptions.SRC_DIR).isEmpty()) {
      return false;
    }
    Path there = folder.resolve(config.get(ProgramOptions.SRC_DIR)).resolve(file.name());
    try {
      return !file.archive() && Files.isSameFile(there, folder.resolve(file.source()));
    } catch (IOException e) {
      return false;
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
    Path top = folder.resolve(config.get(ProgramOptions.SRC_DIR));
    config
        .find(ProgramOptions.EXECUTES)
        .map(line -> line.strip().replaceFirst("\\s.*", ""))
        .filter(script -> script.endsWith(".py") && !script.startsWith("/"))
        .filter(
            script ->
                source != null
                    ? source.isWhole() && !source.find(script).isKnown()
                    : Files.isDirectory(top) && !Files.exists(top.resolve(script)))
        .ifPresent(
            script ->
                missing.add(
                    "executes names the script "
                        + script
                        + ", which is not in src_dir "
                        + top
                        + (source == null ? "" : " (it has " + source.contents("") + ")")
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
    jars(conf);
    forEach(
        (file, who) -> {
          if (file.remote()) {
            find(file.source(), who + " ships " + Secrets.maskText(file.source()), conf);
          }
        });
  }

  private void jars(Configuration conf) {
    Map<String, FileStatus> jars = new LinkedHashMap<>();
    for (String folderOfJars : config.get(ProgramOptions.HDFS_CLASSPATH)) {
      String named = "hdfs_classpath names " + Secrets.maskText(folderOfJars);
      Optional<FileStatus> found = find(folderOfJars, named, conf);
      if (found.isPresent() && !found.get().isDirectory()) {
        missing.add(named + ", which is not a folder");
      } else if (found.isPresent()) {
        list(found.get(), named, conf).forEach(jar -> addJar(jar, jars));
      }
    }
    Map<String, String> folders = new LinkedHashMap<>();
    jars.forEach((name, jar) -> folders.put(name, folderOf(jar)));
    names(folders);
  }

  private List<FileStatus> list(FileStatus jars, String named, Configuration conf) {
    try {
      return Stream.of(jars.getPath().getFileSystem(conf).listStatus(jars.getPath()))
          .filter(file -> file.getPath().getName().endsWith(".jar"))
          .toList();
    } catch (IOException e) {
      missing.add(
          named + ", which cannot be read: " + Secrets.maskText(String.valueOf(e.getMessage())));
      return List.of();
    }
  }

  private static String folderOf(FileStatus jar) {
    return Secrets.maskText(jar.getPath().getParent().toString());
  }

  /** One jar may lie in two folders. */
  private void addJar(FileStatus jar, Map<String, FileStatus> jars) {
    FileStatus other = jars.putIfAbsent(jar.getPath().getName(), jar);
    if (other != null && other.getLen() != jar.getLen()) {
      refused.add(
          "hdfs_classpath has two jars "
              + jar.getPath().getName()
              + ", in "
              + folderOf(other)
              + " and "
              + folderOf(jar)
              + ", which differ: remove one of them");
    }
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
