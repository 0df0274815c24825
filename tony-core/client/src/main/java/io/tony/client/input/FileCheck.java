package io.tony.client.input;

import io.tony.config.Secrets;
import io.tony.config.TonyConfig;
import io.tony.config.declared.ClientOptions;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.option.ConfigOption;
import io.tony.container.Staging;
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
import org.jspecify.annotations.Nullable;

/**
 * Checks that the files that a job names exist, and that the job may ship them. Missing files and
 * refused files are reported separately: an earlier step of the flow may still create a missing
 * file, but a refusal is always an error.
 */
public final class FileCheck {
  private final TonyConfig config;
  private final JobSpec job;
  private final JobFolder folder;
  private final List<String> missingFiles = new ArrayList<>();
  private final List<String> refusals = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /**
   * Entries of the archive that {@code src_dir} names; null if {@code src_dir} is a folder or not
   * set.
   */
  private @Nullable ArchiveListing sourceListing;

  /**
   * Creates a check. Call {@link #checkLocal} and {@link #checkRemote} to check the files; the
   * problems are returned by the other methods.
   */
  public FileCheck(TonyConfig config, JobSpec job, JobFolder folder) {
    this.config = config;
    this.job = job;
    this.folder = folder;
  }

  /**
   * Returns messages about files that do not exist, cannot be read, or are of the wrong kind, for
   * example a file where the option requires a folder.
   */
  public List<String> unusableFiles() {
    return List.copyOf(missingFiles);
  }

  /**
   * Returns the problems with files that the job may not ship, that are on the wrong file system,
   * or whose names clash in a task's working directory.
   */
  public List<String> refusals() {
    return List.copyOf(refusals);
  }

  /**
   * Returns warnings, for example about what may prevent the user's program from starting on a
   * node.
   */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Checks the files on this machine. Sends no requests to the cluster. */
  public void checkLocal() {
    if (config.isBlank(ProgramOptions.SRC_DIR)) {
      warnings.add(
          "src_dir is blank: that counts as none, and only a folder src is shipped, where there is"
              + " one. For all of the job's folder write src_dir=.");
    }
    config.find(ProgramOptions.SRC_DIR).ifPresent(this::checkSource);
    checkScript();
    forEachFile(
        (file, who) -> {
          if (!file.isRemote()) {
            checkShipped(who + " ships " + Secrets.maskText(file.source()), file);
          }
        });
    ShippedPrograms programs = new ShippedPrograms(folder);
    programs.check(job);
    missingFiles.addAll(programs.errors());
    warnings.addAll(programs.warnings());
    checkNames(Map.of());
  }

  private void checkSource(String sourceDir) {
    String message = "src_dir is " + Secrets.maskText(sourceDir);
    Path file = folder.resolve(sourceDir);
    if (refuses(message, file)) {
      return;
    }
    if (Files.isDirectory(file)) {
      checkContents("src_dir", file);
    } else if (Files.isRegularFile(file)) {
      checkSourceArchive(message, file);
    } else {
      missingFiles.add(message + ", which is neither a folder nor an archive in " + folder.path());
    }
  }

  private void checkSourceArchive(String message, Path file) {
    try {
      LocalFile archive = folder.file(file);
      Optional<ArchiveReader.Format> format = ArchiveReader.format(archive);
      if (format.isEmpty()) {
        missingFiles.add(
            message
                + ", which is neither a folder nor a whole .zip, .tar, .tar.gz or .tgz archive: name"
                + " one of these, or ship the file with tony.containers.resources");
        return;
      }
      sourceListing =
          ArchiveListing.read(
              archive, format.get(), SourceArchive.MAX_UNPACKED_BYTES, listing -> false);
      SourceArchive.problem(sourceListing).ifPresent(what -> refusals.add(message + ", " + what));
    } catch (IOException e) {
      missingFiles.add(message + ", which cannot be read: " + e.getMessage());
    }
  }

  /**
   * Checks that no two files have the same name in a task's working directory.
   *
   * @param jars folder of each jar of {@code hdfs_classpath}, by the jar's name
   */
  private void checkNames(Map<String, String> jars) {
    TaskFolder names = new TaskFolder();
    jars.forEach((jar, from) -> names.add(jar, "hdfs_classpath " + from));
    Optional<String> sourceDir = config.find(ProgramOptions.SRC_DIR);
    for (String name : sourceNames()) {
      names.add(name, "a file of src_dir " + Secrets.maskText(sourceDir.orElse("")));
    }
    addNames(withoutJars(jars, job.files()), "the job", names);
    refusals.addAll(names.clashes());
    for (RoleSpec role : job.roles()) {
      TaskFolder ofRole = names.copy();
      addNames(withoutJars(jars, role.files()), "role " + role.name(), ofRole);
      refusals.addAll(ofRole.clashes());
    }
  }

  /** Returns the files without those that are the same files as jars of {@code hdfs_classpath}. */
  private static List<FileSpec> withoutJars(Map<String, String> jars, List<FileSpec> files) {
    return files.stream()
        .filter(file -> file.archive() || !isJar(file, jars.get(file.name())))
        .toList();
  }

  private static boolean isJar(FileSpec file, @Nullable String folderOfJars) {
    return folderOfJars != null
        && file.isRemote()
        && pathOf(file.source()).equals(pathOf(folderOfJars + "/" + file.name()));
  }

  private static String pathOf(String remote) {
    return new org.apache.hadoop.fs.Path(remote).toUri().getPath();
  }

  private void addNames(List<FileSpec> files, String who, TaskFolder names) {
    for (FileSpec file : files) {
      if (!isInSource(file)) {
        names.add(file.name(), Secrets.maskText(file.source()) + " of " + who);
      }
    }
  }

  /**
   * Returns the names in the root folder of {@code src_dir}, sorted. Leaves out {@code tmp}, which
   * YARN creates in every working directory.
   */
  private List<String> sourceNames() {
    List<String> names = new ArrayList<>();
    if (sourceListing != null) {
      names.addAll(sourceListing.top());
    } else if (config.find(ProgramOptions.SRC_DIR).isPresent()) {
      Path top = folder.resolve(config.get(ProgramOptions.SRC_DIR));
      try (DirectoryStream<Path> files = Files.newDirectoryStream(top)) {
        for (Path file : files) {
          if (!folder.withholds(file.getFileName()) && folder.refusal(file).isEmpty()) {
            names.add(file.getFileName().toString());
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        // Continue with the names found so far: checkContents reports that src_dir cannot be read.
      }
    }
    names.remove("tmp");
    Collections.sort(names);
    return names;
  }

  /**
   * Returns true if the file is in the folder {@code src_dir}, under the name with which it is
   * shipped.
   */
  private boolean isInSource(FileSpec file) {
    if (file.isRemote() || sourceListing != null || config.find(ProgramOptions.SRC_DIR).isEmpty()) {
      return false;
    }
    Path sourceFile = folder.resolve(config.get(ProgramOptions.SRC_DIR)).resolve(file.name());
    try {
      return !file.archive() && Files.isSameFile(sourceFile, folder.resolve(file.source()));
    } catch (IOException e) {
      return false;
    }
  }

  private void checkShipped(String subject, FileSpec spec) {
    Path file = folder.resolve(spec.source());
    if (refuses(subject, file)) {
      return;
    }
    if (!Files.isReadable(file)) {
      missingFiles.add(subject + ", which cannot be read in " + folder.path());
    } else if (!SourceArchive.isFileOrFolder(file)) {
      missingFiles.add(subject + ", which is neither a file nor a folder");
    } else if (Files.isDirectory(file)) {
      checkContents(Secrets.maskText(spec.source()), file);
    } else if (spec.archive()) {
      checkArchive(subject, file);
    }
  }

  private boolean refuses(String subject, Path file) {
    try {
      Optional<String> why = folder.refusal(file);
      why.ifPresent(reason -> refusals.add(subject + ", " + reason));
      return why.isPresent();
    } catch (IOException e) {
      missingFiles.add(subject + ", which cannot be read: " + e);
      return true;
    }
  }

  private void checkArchive(String subject, Path file) {
    try {
      ArchiveCheck.problem(folder.file(file), file.getFileName().toString())
          .ifPresent(what -> missingFiles.add(subject + ", " + what));
    } catch (IOException e) {
      missingFiles.add(subject + ", which cannot be read: " + e);
    }
  }

  /** Adds problems for files in a shipped folder that cannot be read or may not be shipped. */
  private void checkContents(String subject, Path shipped) {
    try {
      List<Path> links = SourceArchive.unreadableFiles(shipped, folder);
      if (!links.isEmpty()) {
        missingFiles.add(
            subject
                + " holds links that lead nowhere or in a circle, pipes or devices: "
                + links
                + ". Remove them");
        return;
      }
      List<Path> others = SourceArchive.refusedFiles(shipped, folder);
      if (!others.isEmpty()) {
        refuses(subject + " holds " + others.get(0), others.get(0));
      }
    } catch (IOException e) {
      missingFiles.add(subject + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * Adds a problem if the job's Python script should be in {@code src_dir} but is not. {@code
   * executes} names a script only if the job has a Python interpreter; otherwise it is a command.
   */
  private void checkScript() {
    if (config.find(ProgramOptions.PYTHON_BINARY_PATH).isEmpty()
        || config.find(ProgramOptions.SRC_DIR).isEmpty()) {
      return;
    }
    Path top = folder.resolve(config.get(ProgramOptions.SRC_DIR));
    ArchiveListing listing = sourceListing;
    config
        .find(ProgramOptions.EXECUTES)
        .map(line -> line.strip().replaceFirst("\\s.*", ""))
        .filter(script -> script.endsWith(".py") && !script.startsWith("/"))
        .filter(
            script ->
                listing != null
                    ? listing.isComplete() && !listing.find(script).isFinal()
                    : Files.isDirectory(top) && !Files.exists(top.resolve(script)))
        .ifPresent(
            script ->
                missingFiles.add(
                    "executes names the script "
                        + script
                        + ", which is not in src_dir "
                        + top
                        + (listing == null ? "" : " (it has " + listing.contents("") + ")")
                        + ": put it there, or name it relative to that folder"));
  }

  private void forEachFile(BiConsumer<FileSpec, String> check) {
    job.files().forEach(file -> check.accept(file, "the job"));
    for (RoleSpec role : job.roles()) {
      role.files().forEach(file -> check.accept(file, "role " + role.name()));
    }
  }

  /** Checks the files on Hadoop file systems, such as HDFS. Sends requests to them. */
  public void checkRemote(Configuration conf) {
    checkOwnFolders(conf);
    for (String other : config.get(ClientOptions.OTHER_NAMENODES)) {
      String subject = "tony.other.namenodes names " + Secrets.maskText(other);
      try {
        refuses(subject, URI.create(other.strip()), conf);
      } catch (IllegalArgumentException e) {
        refusals.add(subject + ", which is no file system: write hdfs://host:port");
      }
    }
    checkJars(conf);
    config
        .find(TaskOptions.JAVA_ARCHIVE)
        .filter(archive -> new FileSpec(archive, Staging.JAVA, true).isRemote())
        .ifPresent(archive -> checkJava(archive, conf));
    forEachFile(
        (file, who) -> {
          if (file.isRemote()) {
            findRemote(file.source(), who + " ships " + Secrets.maskText(file.source()), conf);
          }
        });
  }

  private void checkJava(String archive, Configuration conf) {
    String subject = TaskOptions.JAVA_ARCHIVE.key() + " is " + Secrets.maskText(archive);
    if (findRemote(archive, subject, conf).filter(FileStatus::isDirectory).isPresent()) {
      missingFiles.add(subject + ", which is a folder: name the archive in it");
    }
  }

  private void checkJars(Configuration conf) {
    Map<String, FileStatus> jars = new LinkedHashMap<>();
    for (String folderOfJars : config.get(ProgramOptions.HDFS_CLASSPATH)) {
      String subject = "hdfs_classpath names " + Secrets.maskText(folderOfJars);
      Optional<FileStatus> found = findRemote(folderOfJars, subject, conf);
      if (found.isPresent() && !found.get().isDirectory()) {
        missingFiles.add(subject + ", which is not a folder");
      } else if (found.isPresent()) {
        listJars(found.get(), subject, conf).forEach(jar -> addJar(jar, jars));
      }
    }
    Map<String, String> folders = new LinkedHashMap<>();
    jars.forEach((name, jar) -> folders.put(name, folderOf(jar)));
    checkNames(folders);
  }

  private List<FileStatus> listJars(FileStatus jars, String subject, Configuration conf) {
    try {
      return Stream.of(jars.getPath().getFileSystem(conf).listStatus(jars.getPath()))
          .filter(file -> file.getPath().getName().endsWith(".jar"))
          .toList();
    } catch (IOException e) {
      missingFiles.add(
          subject + ", which cannot be read: " + Secrets.maskText(String.valueOf(e.getMessage())));
      return List.of();
    }
  }

  private static String folderOf(FileStatus jar) {
    return Secrets.maskText(jar.getPath().getParent().toString());
  }

  /**
   * Adds a jar of {@code hdfs_classpath}. If there already is a jar with the same name, adds a
   * problem if its size differs; otherwise the two count as the same jar.
   */
  private void addJar(FileStatus jar, Map<String, FileStatus> jars) {
    FileStatus other = jars.putIfAbsent(jar.getPath().getName(), jar);
    if (other != null && other.getLen() != jar.getLen()) {
      refusals.add(
          "hdfs_classpath has two jars "
              + jar.getPath().getName()
              + ", in "
              + folderOf(other)
              + " and "
              + folderOf(jar)
              + ", which differ: remove one of them");
    }
  }

  /**
   * Adds a problem for each of TonY's own folders (staging, cache and history) that is not on the
   * default file system.
   */
  private void checkOwnFolders(Configuration conf) {
    FileSystem fs;
    try {
      fs = FileSystem.get(conf);
    } catch (IOException | RuntimeException e) {
      return; // not reported here: the next use of the file system fails for the same reason
    }
    for (ConfigOption<String> option :
        List.of(
            ClientOptions.STAGING_LOCATION,
            ClientOptions.CACHE_LOCATION,
            ClientOptions.HISTORY_LOCATION)) {
      try {
        fs.makeQualified(new org.apache.hadoop.fs.Path(config.get(option)));
      } catch (IllegalArgumentException e) {
        refusals.add(
            config.describe(option.key())
                + " is not a folder of the default file system "
                + fs.getUri()
                + ": name one there");
      }
    }
  }

  private boolean refuses(String subject, URI file, Configuration conf) {
    Optional<String> why = folder.refusal(file, conf);
    why.ifPresent(reason -> refusals.add(subject + ", " + reason));
    return why.isPresent();
  }

  /**
   * Returns the status of a file on a Hadoop file system. If the job may not use the file, or if it
   * does not exist or cannot be read, adds a problem and returns empty.
   */
  private Optional<FileStatus> findRemote(String source, String subject, Configuration conf) {
    try {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(source);
      return refuses(subject, path.toUri(), conf)
          ? Optional.empty()
          : Optional.of(path.getFileSystem(conf).getFileStatus(path));
    } catch (FileNotFoundException e) {
      missingFiles.add(subject + ", which does not exist");
    } catch (IOException | IllegalArgumentException e) {
      missingFiles.add(
          subject + ", which cannot be read: " + Secrets.maskText(String.valueOf(e.getMessage())));
    }
    return Optional.empty();
  }
}
