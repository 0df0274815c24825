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
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * The folder against which a job's relative paths are resolved, and the rules for files that the
 * job may ship. A user at a command line may ship every file that the user can read. A step of
 * Azkaban runs as Azkaban's own user, who can read files of other steps: a step may ship files in
 * its execution's folder and in folders that the administrator has allowed, after links are
 * resolved; on other file systems, files on the cluster's own file systems and on those that the
 * administrator has allowed.
 */
public final class JobFolder {
  /** Set by the job type: the folder against which relative paths are resolved. */
  private static final String START = "TONY_JOB_FOLDER";

  /**
   * Set by the job type: the folders from which a step may ship files, the execution's folder
   * first.
   */
  private static final String ALLOWED = "TONY_JOB_ALLOWED_FOLDERS";

  /**
   * Set by the job type: the file systems that a step may name in addition to the cluster's own.
   */
  private static final String FILE_SYSTEMS = "TONY_JOB_ALLOWED_FILE_SYSTEMS";

  /**
   * Names of TonY's own files in a job's folder: the client's stack traces, and until release 0.2
   * keys and passwords of other steps.
   */
  private static final String OWN_FILES = "\\.tony-.*";

  /**
   * Names of Azkaban's files in an execution's folder: logs, the properties of every step, and a
   * link named {@code *} in each empty folder if Azkaban builds the folder from links.
   */
  private static final String AZKABAN_FILES =
      "_(job|flow)\\.[0-9]+\\..*|.*_(props|output)_[0-9]+_tmp|\\*";

  private static final Pattern WITHHELD_FROM_ALL = Pattern.compile(OWN_FILES);
  private static final Pattern WITHHELD_FROM_STEPS =
      Pattern.compile(OWN_FILES + "|" + AZKABAN_FILES);

  private final Path path;
  private final List<Path> allowed; // real paths; empty if the job may ship every readable file
  private final List<String> fileSystems;

  private JobFolder(Path path, List<Path> allowed, List<String> fileSystems) {
    this.path = path;
    this.allowed = List.copyOf(allowed);
    this.fileSystems = List.copyOf(fileSystems);
  }

  /** Returns a folder whose job may ship every file that this process can read. */
  public static JobFolder of(Path path) {
    return new JobFolder(path, List.of(), List.of());
  }

  /**
   * Returns the folder of a step of Azkaban.
   *
   * @param allowed folders whose files the step may ship
   * @param fileSystems file systems that the step may name in addition to the cluster's own, such
   *     as {@code s3a://data}
   */
  public static JobFolder ofStep(Path path, List<Path> allowed, List<String> fileSystems)
      throws IOException {
    List<Path> realFolders = new ArrayList<>();
    for (Path folder : allowed) {
      realFolders.add(realPath(folder.toAbsolutePath()));
    }
    return new JobFolder(path, realFolders, fileSystems);
  }

  /** Returns the folder that the job type has set in the environment, or the current folder. */
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

  /** Returns true if the job type started this process for a step of Azkaban. */
  public static boolean isOfStep(Map<String, String> environment) {
    return environment.containsKey(ALLOWED);
  }

  public Path path() {
    return path;
  }

  /**
   * Returns the folder of the Azkaban execution, which may not be the folder for relative paths.
   * Outside of Azkaban, both are {@link #path()}.
   */
  public Path executionFolder() {
    return isConfined() ? allowed.get(0) : path;
  }

  /** Returns false if the job may ship every file that this process can read. */
  public boolean isConfined() {
    return !allowed.isEmpty();
  }

  /**
   * Resolves a path as the user wrote it: absolute, {@code file:}, or relative to this folder.
   *
   * @throws ConfigException if the name is not a valid file name on this machine
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
    } catch (IllegalArgumentException e) { // for example a blank in the URI
      return path.resolve(source.replaceFirst("^file:(//)?", ""));
    }
  }

  /**
   * Returns true if a file in a shipped folder must be left out.
   *
   * @param relative the file's path relative to the shipped folder
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

  /** Returns why the job may not ship a file, as the end of a sentence; empty if the job may. */
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
   * Returns why the job may not use a file or folder of a Hadoop file system, as the end of a
   * sentence; empty if the job may.
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
   * Returns a file that the job ships.
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

  /** Returns the file with links resolved; empty if it is outside of the allowed folders. */
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
   * Resolves all links. Also resolves paths that do not exist, so that a refusal does not reveal
   * whether a file exists.
   */
  private static Path realPath(Path absolute) throws IOException {
    Path existing = absolute;
    while (!Files.exists(existing)) {
      existing = existing.getParent(); // ends at the root, which exists
    }
    return existing.toRealPath().resolve(existing.relativize(absolute)).normalize();
  }
}
