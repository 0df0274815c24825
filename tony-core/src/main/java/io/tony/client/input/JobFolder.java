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
 * The folder that a job's relative paths start from, and which files of this machine it may ship.
 * Whoever runs the command may ship what he can read. A step of Azkaban's is run by Azkaban's own
 * user, who can read what is none of the step's: it may ship what lies in its execution's folder,
 * or in one that the administrator has named, wherever links lead; and of other file systems only
 * what lies on the cluster's own, or on one that he has named.
 */
public final class JobFolder {
  /** Set by the job type: where relative paths start. */
  private static final String START = "TONY_JOB_FOLDER";

  /** Set by the job type: the folders that a step may ship from, the execution's first. */
  private static final String ALLOWED = "TONY_JOB_ALLOWED_FOLDERS";

  /** Set by the job type: the file systems that a step may name beside the cluster's own. */
  private static final String FILE_SYSTEMS = "TONY_JOB_ALLOWED_FILE_SYSTEMS";

  /** What the job type kept in a job's folder until 0.2: keys and passwords of other steps. */
  private static final String OWN_FILES = "\\.tony-.*";

  /**
   * What Azkaban keeps in an execution's folder: logs, the properties of every step and, where it
   * lays the folder out with links, one of this name in each empty folder.
   */
  private static final String AZKABAN_FILES =
      "_(job|flow)\\.[0-9]+\\..*|.*_(props|output)_[0-9]+_tmp|\\*";

  private static final Pattern WITHHELD_FROM_ALL = Pattern.compile(OWN_FILES);
  private static final Pattern WITHHELD_FROM_STEPS =
      Pattern.compile(OWN_FILES + "|" + AZKABAN_FILES);

  private final Path path;
  private final List<Path> allowed; // real paths; empty for all that can be read
  private final List<String> fileSystems;

  private JobFolder(Path path, List<Path> allowed, List<String> fileSystems) {
    this.path = path;
    this.allowed = List.copyOf(allowed);
    this.fileSystems = List.copyOf(fileSystems);
  }

  /** A folder whose job may ship all that this process can read. */
  public static JobFolder of(Path path) {
    return new JobFolder(path, List.of(), List.of());
  }

  /**
   * A folder of a step of Azkaban's.
   *
   * @param allowed whose files it may ship
   * @param fileSystems which others than the cluster's own it may name, such as {@code s3a://data}
   */
  public static JobFolder ofStep(Path path, List<Path> allowed, List<String> fileSystems)
      throws IOException {
    List<Path> realFolders = new ArrayList<>();
    for (Path folder : allowed) {
      realFolders.add(realPath(folder.toAbsolutePath()));
    }
    return new JobFolder(path, realFolders, fileSystems);
  }

  /** The job's, where the job type says it in the environment, or else this process's own. */
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

  /** Whether the job type started this process, for a step of Azkaban's. */
  public static boolean isOfStep(Map<String, String> environment) {
    return environment.containsKey(ALLOWED);
  }

  public Path path() {
    return path;
  }

  /** The execution's folder, or where relative paths start: of the same job, it may be another. */
  public Path executionFolder() {
    return isConfined() ? allowed.get(0) : path;
  }

  /** False where the job may ship all that this process can read. */
  public boolean isConfined() {
    return !allowed.isEmpty();
  }

  /**
   * A path as the user wrote it: absolute, {@code file:}, or relative to this folder.
   *
   * @throws ConfigException when no file here can have such a name
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
    } catch (IllegalArgumentException e) { // with a blank, say
      return path.resolve(source.replaceFirst("^file:(//)?", ""));
    }
  }

  /** True for what lies in a folder that is shipped, and is no part of it. */
  boolean withholds(Path relative) {
    Pattern withheld = isConfined() ? WITHHELD_FROM_STEPS : WITHHELD_FROM_ALL;
    for (Path name : relative) {
      if (withheld.matcher(name.toString()).matches()) {
        return true;
      }
    }
    return false;
  }

  /** Why the job may not ship what is at a path, as the end of a sentence; nothing where it may. */
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

  /** The same for a file or folder of a file system. */
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
   * A file that the job ships.
   *
   * @throws IOException when the job may not ship it
   */
  public LocalFile file(Path file) throws IOException {
    Optional<LocalFile> found = find(file);
    Optional<String> refusal = refusal(found);
    if (refusal.isPresent()) {
      throw new IOException("the job names " + file + ", " + refusal.get());
    }
    return found.get();
  }

  /** A file where it really lies; nothing where that is outside. */
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

  /** Where a path leads; also one to nothing, so that what is said of it does not tell that. */
  private static Path realPath(Path absolute) throws IOException {
    Path existing = absolute;
    while (!Files.exists(existing)) {
      existing = existing.getParent(); // the root exists
    }
    return existing.toRealPath().resolve(existing.relativize(absolute)).normalize();
  }
}
