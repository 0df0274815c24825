package io.tony.client.input;

import io.tony.config.Secrets;
import io.tony.config.option.ConfigException;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * The folder against which a job's relative paths are resolved. Also decides which files the job
 * may ship.
 *
 * <p>A user at a command line may ship all files that the user can read. A step of Azkaban is
 * prepared by Azkaban's own user, who can also read the files of other steps. Therefore, after
 * links are resolved, the files that a step ships must be in its execution's folder or in a folder
 * that the administrator allows; on Hadoop, they must be on a file system of the cluster or on one
 * that the administrator allows.
 */
public final class JobFolder {
  /**
   * Environment variable, set by the job type, with the folder against which relative paths are
   * resolved.
   */
  private static final String START = "TONY_JOB_FOLDER";

  /**
   * Environment variable, set by the job type, with the folders from which a step may ship files;
   * the first one is the execution's folder.
   */
  private static final String ALLOWED = "TONY_JOB_ALLOWED_FOLDERS";

  /**
   * Environment variable, set by the job type, with the file systems that a step may name besides
   * the cluster's own.
   */
  private static final String FILE_SYSTEMS = "TONY_JOB_ALLOWED_FILE_SYSTEMS";

  /**
   * Names of files that TonY writes into a job's folder: stack traces of the client and, up to
   * release 0.2, keys and passwords of other steps.
   */
  private static final String OWN_FILES = "\\.tony-.*";

  /**
   * Names of files that Azkaban writes into an execution's folder: logs, properties of all steps
   * and, if Azkaban builds the folder from links, a link named {@code *} in each empty folder.
   */
  private static final String AZKABAN_FILES =
      "_(job|flow)\\.[0-9]+\\..*|.*_(props|output)_[0-9]+_tmp|\\*";

  private static final Pattern WITHHELD_FROM_ALL = Pattern.compile(OWN_FILES);
  private static final Pattern WITHHELD_FROM_STEPS =
      Pattern.compile(OWN_FILES + "|" + AZKABAN_FILES);

  private final Path path;
  // Real paths of the folders from which the job may ship files; empty if it may ship all readable
  // files.
  private final List<Path> allowed;
  private final List<String> fileSystems;

  private JobFolder(Path path, List<Path> allowed, List<String> fileSystems) {
    this.path = path;
    this.allowed = List.copyOf(allowed);
    this.fileSystems = List.copyOf(fileSystems);
  }

  /** Returns a folder for a job that may ship all files that this process can read. */
  public static JobFolder of(Path path) {
    return new JobFolder(path, List.of(), List.of());
  }

  /**
   * Returns a folder for a step of Azkaban.
   *
   * @param allowed folders from which the step may ship files; the first one is the execution's
   *     folder
   * @param fileSystems file systems that the step may name besides the cluster's own, such as
   *     {@code s3a://data}
   */
  public static JobFolder ofStep(Path path, List<Path> allowed, List<String> fileSystems)
      throws IOException {
    List<Path> realFolders = new ArrayList<>();
    for (Path folder : allowed) {
      realFolders.add(realPath(folder.toAbsolutePath()));
    }
    return new JobFolder(path, realFolders, fileSystems);
  }

  /**
   * Returns the folder of this process's job: the one that the job type has set in the environment,
   * otherwise the current folder.
   */
  public static JobFolder of(Map<String, String> environment) throws IOException {
    Path start = Path.of(environment.getOrDefault(START, "")).toAbsolutePath();
    String folders = environment.get(ALLOWED);
    return folders == null
        ? of(start)
        : ofStep(
            start,
            Stream.of(folders.split(File.pathSeparator, -1)).map(Path::of).toList(),
            Stream.of(environment.getOrDefault(FILE_SYSTEMS, "").split(",", -1))
                .filter(fileSystem -> !fileSystem.isEmpty())
                .toList());
  }

  /** Returns true if the job type has started this process for a step of Azkaban. */
  public static boolean isOfStep(Map<String, String> environment) {
    return environment.containsKey(ALLOWED);
  }

  public Path path() {
    return path;
  }

  /**
   * For a step of Azkaban, returns the folder that Azkaban created for the execution of the flow;
   * it can differ from {@link #path()}. Otherwise, returns {@link #path()}.
   */
  public Path executionFolder() {
    return isConfined() ? allowed.get(0) : path;
  }

  /**
   * Returns true for a step of Azkaban, which may ship only files from allowed folders and file
   * systems.
   */
  public boolean isConfined() {
    return !allowed.isEmpty();
  }

  /**
   * Returns the absolute path of a file. The user may have written it as an absolute path, as a
   * {@code file:} URI, or as a path relative to this folder.
   *
   * @throws ConfigException if this machine cannot have a file with this name
   */
  public Path resolve(String source) {
    try {
      return path(source);
    } catch (InvalidPathException e) {
      throw new ConfigException(
          "'"
              + Secrets.maskText(source)
              + "' is no name of a file on this machine: "
              + e.getReason(),
          e);
    }
  }

  private Path path(String source) {
    if (!source.startsWith("file:")) {
      return path.resolve(source);
    }
    try {
      String named = URI.create(source).getPath();
      return path.resolve(named == null ? source.substring("file:".length()) : named);
    } catch (InvalidPathException e) {
      throw e;
    } catch (IllegalArgumentException e) { // for example, the URI contains a blank
      return path.resolve(source.replaceFirst("^file:(//)?", ""));
    }
  }

  /**
   * Returns true if a file in a shipped folder must be left out, because it is one of Azkaban's or
   * TonY's own files.
   *
   * @param relative path of the file, relative to the shipped folder
   */
  boolean withholds(Path relative) {
    Pattern withheld = isConfined() ? WITHHELD_FROM_STEPS : WITHHELD_FROM_ALL;
    for (Path name : relative) {
      if (withheld.matcher(name.toString()).matches()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the reason why the job may not ship this local file; empty if it may. The reason is a
   * clause that callers append to a text about the file: {@code which leads out of the job's folder
   * …}.
   */
  Optional<String> refusal(Path file) throws IOException {
    return refusal(find(file));
  }

  private Optional<String> refusal(Optional<LocalFile> found) {
    if (found.isEmpty()) {
      return Optional.of(
          "which leads out of the job's folder "
              + allowed.get(0)
              + ": put it into the project, or have the administrator name its folder in"
              + " tony.client.allowed-paths (plugin.properties)");
    }
    return isConfined() && withholds(found.get())
        ? Optional.of("which Azkaban or the job type keeps there for itself: name another file")
        : Optional.empty();
  }

  private boolean withholds(LocalFile found) {
    return allowed.stream()
        .filter(found.path()::startsWith)
        .anyMatch(folder -> withholds(folder.relativize(found.path())));
  }

  /**
   * Returns the reason why the job may not use this file or folder on a Hadoop file system; empty
   * if it may. The reason is a clause that callers append to a text about the file: {@code which
   * lies on none of the cluster's file systems …}.
   */
  public Optional<String> refusal(URI file, Configuration conf) {
    if (!isConfined()) {
      return Optional.empty();
    }
    KnownFileSystems knownFileSystems = new KnownFileSystems(conf, fileSystems);
    if (knownFileSystems.contains(file)) {
      return Optional.empty();
    }
    return Optional.of(
        knownFileSystems.isCluster()
            ? "which lies on none of the cluster's file systems: put it onto "
                + knownFileSystems.defaultUri()
                + ", or have the administrator name its file system in"
                + " tony.client.allowed-file-systems (plugin.properties)"
            : "and no cluster is configured: set HADOOP_CONF_DIR");
  }

  /**
   * Returns a file of this machine, to be read for the job.
   *
   * @throws IOException if the job may not ship the file
   */
  public LocalFile file(Path file) throws IOException {
    Optional<LocalFile> found = find(file);
    Optional<String> refusal = refusal(found);
    if (refusal.isPresent()) {
      throw new IOException("the job names " + file + ", " + refusal.get());
    }
    return found.get();
  }

  /**
   * Returns the file after links are resolved; empty if the job may not ship it, because it is not
   * in an allowed folder.
   */
  private Optional<LocalFile> find(Path file) throws IOException {
    if (!isConfined()) {
      return Optional.of(LocalFile.of(file));
    }
    Path realPath = realPath(file.toAbsolutePath());
    return allowed.stream()
        .filter(realPath::startsWith)
        .findFirst()
        .map(folder -> LocalFile.in(folder, realPath));
  }

  /**
   * Returns the path with all links resolved. Parts of the path need not exist: if missing files
   * were an error, a refusal would reveal which files exist.
   */
  private static Path realPath(Path absolute) throws IOException {
    Path existing = absolute;
    while (!Files.exists(existing)) {
      // The loop ends at the root folder, which exists.
      existing = Objects.requireNonNull(existing.getParent());
    }
    return existing.toRealPath().resolve(existing.relativize(absolute)).normalize();
  }
}
