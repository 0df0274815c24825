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
 * The archive for class data sharing (CDS) with which a client's JVM starts faster. The process
 * that starts the client, {@code bin/tony} or the job type, chooses the archive's path. If the
 * archive exists, the client's JVM was started with it; otherwise the JVM records a list of the
 * classes that it loads, from which a new archive is created. Only the user may write to the
 * archive's folder, because the JVM executes the code in the archive.
 *
 * <p>The JVM ignores an archive that was made for another class path.
 */
public final class ClassArchive {
  /** System property with the path of the class archive, whether or not the archive exists. */
  private static final String PROPERTY = "tony.client.archive";

  /**
   * Suffix of the file that contains the {@link #fingerprint} for which the class archive was
   * created. The file is next to the archive.
   */
  private static final String FINGERPRINT_SUFFIX = ".of";

  /**
   * Suffix of the file that contains a {@link #fingerprint} for which no class archive could be
   * created.
   */
  static final String FAILED_SUFFIX = ".failed";

  private ClassArchive() {}

  /**
   * Returns the path of the class list that this JVM records if it was started with {@code
   * -XX:DumpLoadedClassList=ARCHIVE.%p}.
   */
  private static Path classList(Path archive) {
    return beside(archive, ".pid" + ProcessHandle.current().pid());
  }

  static Path beside(Path archive, String suffix) {
    return archive.resolveSibling(archive.getFileName() + suffix);
  }

  /**
   * If this JVM records a class list, starts a process that waits for this JVM's exit and creates
   * the class archive. If this JVM was started with a class archive for other jars or another Java,
   * deletes it, so that the next client records a class list. Failures are ignored.
   *
   * @param complete whether this JVM has loaded all classes that a client usually loads; if not,
   *     its class list is deleted
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
      // Ignore the failure: it only means that the next client starts as slowly as this one did.
    }
  }

  /**
   * Returns true if, in the last 24 hours, no class archive could be created for the same jars and
   * Java. Trying again would most likely fail, too.
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
   * Returns a builder for a process whose standard streams are not those of this process: it can
   * outlive this process without keeping them open, and prints nothing.
   */
  static ProcessBuilder silentProcess(List<String> command) {
    return new ProcessBuilder(command)
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD);
  }

  /**
   * Returns the command that starts Java, without arguments. The child process takes the class path
   * from its environment variables.
   */
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
   * Returns a text that changes if another Java or other jars are used: the JVM's version, and the
   * path, size and modification time of each jar on the class path.
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
