package io.tony.client.launch;

import io.tony.process.Spawner;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The class data sharing archive of the client's JVM. The JVM either was started with the archive
 * or records a list of its loaded classes for a new one. The program that starts the client, {@code
 * bin/tony} or the job type, chooses the archive's path, in a folder to which only the user can
 * write, because the archive contains code that is executed.
 *
 * <p>The JVM itself compares the archive with the class path, and ignores an archive that does not
 * match.
 */
public final class ClassArchive {
  /** System property with the path of the archive, whether the archive exists or not. */
  private static final String PROPERTY = "tony.client.archive";

  /** Suffix of the file beside the archive that contains the archive's {@link #fingerprint}. */
  private static final String FINGERPRINT_SUFFIX = ".of";

  /** Suffix of the file that contains the fingerprint for which no archive could be created. */
  static final String FAILED_SUFFIX = ".failed";

  private ClassArchive() {}

  /**
   * Returns the path of this JVM's class list, set by {@code -XX:DumpLoadedClassList=ARCHIVE.%p}.
   */
  private static Path classList(Path archive) {
    return beside(archive, ".pid" + ProcessHandle.current().pid());
  }

  static Path beside(Path archive, String suffix) {
    return archive.resolveSibling(archive.getFileName() + suffix);
  }

  /**
   * If this JVM recorded a class list, starts a process that outlives this one and creates the
   * archive. If this JVM was started with an archive of other jars, deletes the archive, so that
   * the next client records a list.
   *
   * @param complete whether this JVM has loaded all classes that a client usually loads
   */
  public static void updateOnExit(boolean complete) {
    String archiveSetting = System.getProperty(PROPERTY);
    if (archiveSetting == null) {
      return;
    }
    Path archive = Path.of(archiveSetting);
    Path classList = classList(archive);
    try {
      if (!Files.exists(classList)) {
        removeOutdated(archive);
      } else if (!complete || failedRecently(archive) || !startMaker(archive)) {
        Files.delete(classList);
      }
    } catch (IOException e) {
      // The next client starts as slowly as this one.
    }
  }

  /**
   * Returns true if an archive of the same jars and Java could not be created in the last 24 hours;
   * another try would most likely fail, too.
   */
  private static boolean failedRecently(Path archive) throws IOException {
    Path failed = beside(archive, FAILED_SUFFIX);
    Instant dayAgo = Instant.now().minus(Duration.ofDays(1));
    return Files.exists(failed)
        && Files.getLastModifiedTime(failed).toInstant().isAfter(dayAgo)
        && Files.readString(failed).equals(fingerprint());
  }

  private static boolean startMaker(Path archive) {
    List<String> command = new ArrayList<>(List.of("nice", "-n", "10"));
    command.addAll(javaCommand());
    command.addAll(
        List.of(
            "-Xmx32m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            ArchiveMaker.class.getName(),
            archive.toString(),
            classList(archive).toString(),
            Long.toString(ProcessHandle.current().pid())));
    try {
      Spawner.SYSTEM.startProcess(silentProcess(command));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Detaches the process from the streams of this one, so that it neither keeps them open nor
   * writes to them.
   */
  static ProcessBuilder silentProcess(List<String> command) {
    return new ProcessBuilder(command)
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD);
  }

  /** Returns the command of Java. The child process gets the class path from the environment. */
  static List<String> javaCommand() {
    return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  private static void removeOutdated(Path archive) throws IOException {
    Path fingerprintFile = beside(archive, FINGERPRINT_SUFFIX);
    if (Files.exists(archive)
        && !(Files.exists(fingerprintFile)
            && Files.readString(fingerprintFile).equals(fingerprint()))) {
      Files.deleteIfExists(archive);
    }
  }

  static void writeFingerprint(Path archive, String fingerprint) throws IOException {
    Files.writeString(beside(archive, FINGERPRINT_SUFFIX), fingerprint);
  }

  /**
   * Returns the JVM's version and the class path, with the size and modification time of each jar.
   */
  static String fingerprint() throws IOException {
    StringBuilder all = new StringBuilder(System.getProperty("java.vm.version")).append('\n');
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      File file = new File(entry);
      if (!file.isDirectory()) {
        all.append(entry + " " + file.length() + " " + file.lastModified() + "\n");
      }
    }
    return all.toString();
  }
}
