package io.tony.config.job;

import io.tony.config.Secrets;
import io.tony.config.declared.ProgramOptions;
import io.tony.config.declared.RoleOptions;
import io.tony.config.declared.TaskOptions;
import io.tony.config.option.ConfigOption;
import io.tony.model.FileSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads which files are placed into the tasks' working directories. Reports files that have the
 * same name there.
 */
final class ShippedFiles {
  private static final Pattern PLAIN = Pattern.compile("[^\"'$`\\\\\\p{Cntrl}]+");

  private final CheckedValues values;
  private final Problems problems;

  ShippedFiles(CheckedValues values, Problems problems) {
    this.values = values;
    this.problems = problems;
  }

  /** Returns the files that every task gets, including the archive of the Python environment. */
  List<FileSpec> ofJob() {
    for (String folder : values.get(ProgramOptions.HDFS_CLASSPATH)) {
      checkPassword(ProgramOptions.HDFS_CLASSPATH, folder);
    }
    values.find(TaskOptions.JAVA_ARCHIVE).ifPresent(this::checkJava);
    List<FileSpec> files = new ArrayList<>();
    venv().ifPresent(files::add);
    add(files, ProgramOptions.FILES);
    return files;
  }

  /**
   * Returns the files that the tasks of this role get in addition to {@code jobFiles}, the files of
   * every task.
   */
  List<FileSpec> ofRole(String role, List<FileSpec> jobFiles) {
    List<FileSpec> all = new ArrayList<>(jobFiles);
    add(all, RoleOptions.FILES.at(role));
    return all.subList(jobFiles.size(), all.size());
  }

  private void add(List<FileSpec> files, ConfigOption<List<String>> option) {
    for (String text : values.get(option)) {
      parse(option, text).ifPresent(file -> addOnce(files, option, file));
    }
  }

  private Optional<FileSpec> parse(ConfigOption<?> option, String text) {
    try {
      FileSpec file = FileSpec.parse(text);
      if (!file.name().equals(".") && !file.name().equals("..") && isPlain(file)) {
        return Optional.of(file);
      }
    } catch (IllegalArgumentException e) {
      // The text is malformed. It is reported below like a name that is not allowed, together with
      // the option's key and source.
    }
    problems.addError(
        option.key()
            + " ("
            + values.config().origin(option.key()).orElse("default")
            + ") names the file '"
            + Secrets.maskText(text)
            + "': write SOURCE[::NAME][#archive], where NAME is a single name without / and, as"
            + " YARN links it by a shell, without quotes, $, ` and \\");
    return Optional.empty();
  }

  /**
   * Returns true if the names of the file contain no character that a shell interprets. YARN writes
   * two names into a shell script: the one in the working directory and, for a remote source, the
   * last part of the source's path.
   */
  private static boolean isPlain(FileSpec file) {
    String source = file.source().substring(file.source().lastIndexOf('/') + 1);
    return PLAIN.matcher(file.name()).matches()
        && (!file.isRemote() || PLAIN.matcher(source).matches());
  }

  private void addOnce(List<FileSpec> files, ConfigOption<?> option, FileSpec file) {
    checkPassword(option, file.source());
    for (FileSpec other : files) {
      if (other.equals(file)) {
        return;
      }
      if (other.name().equals(file.name())) {
        problems.addError(
            option.key()
                + ": "
                + Secrets.maskText(file.source())
                + " and "
                + Secrets.maskText(other.source())
                + " would both be named "
                + file.name()
                + " in the task's working directory: give one another name, SOURCE::NAME");
        return;
      }
    }
    files.add(file);
  }

  private void checkPassword(ConfigOption<?> option, String source) {
    if (Secrets.holdsPasswordOfUrl(source)) {
      problems.addError(
          option.key()
              + " names "
              + Secrets.maskText(source)
              + ", a URL with a password, which YARN would write into its logs: put it on the cluster's"
              + " file system");
    }
  }

  private Optional<FileSpec> venv() {
    Optional<String> source = values.find(ProgramOptions.PYTHON_VENV);
    source.ifPresent(path -> checkArchive(ProgramOptions.PYTHON_VENV, path));
    return source.map(path -> new FileSpec(path, CommandLine.VENV, true));
  }

  private void checkArchive(ConfigOption<String> option, String path) {
    String name = path.toLowerCase(Locale.ROOT);
    if (Stream.of(".zip", ".tar.gz", ".tgz", ".tar", ".jar").noneMatch(name::endsWith)) {
      problems.addError(
          values.config().describe(option.key())
              + " is not an archive that YARN unpacks: make it a .zip, .tar.gz or .tgz");
    }
    checkPassword(option, path);
  }

  private void checkJava(String archive) {
    checkArchive(TaskOptions.JAVA_ARCHIVE, archive);
    String description = values.config().describe(TaskOptions.JAVA_ARCHIVE.key());
    FileSpec file = new FileSpec(archive, "java", true);
    if (!file.isRemote()) {
      problems.addError(
          description
              + " is a path of this machine, which the nodes cannot read: put the archive on the"
              + " cluster's file system, and write hdfs:///PATH");
    } else if (!isPlain(file)) {
      problems.addError(
          description + " has a name with quotes, $, ` or \\, which YARN cannot use: rename it");
    }
    if (values.find(TaskOptions.JAVA_HOME).isPresent()) {
      problems.addError(
          description
              + " and "
              + values.config().describe(TaskOptions.JAVA_HOME.key())
              + " both name the Java of TonY's processes: leave out one of them");
    }
  }
}
