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
 * The archive of prepared classes that a client's JVM was started with, or for which it was told to
 * note what it loads. Whoever starts the client says where it is to be, in a folder that only the
 * user can write to: what stands in it is run.
 *
 * <p>The JVM itself compares the archive with the class path and does without it where they differ.
 */
public final class ClassArchive {
  /** Where it is, or is to be. */
  private static final String PROPERTY = "tony.client.archive";

  /** Beside the archive: what it was made of. */
  private static final String FINGERPRINT_SUFFIX = ".of";

  /** The same, where none could be made. */
  static final String FAILED_SUFFIX = ".failed";

  private ClassArchive() {}

  /** Where this JVM notes what it loads: {@code -XX:DumpLoadedClassList=ARCHIVE.%p}. */
  private static Path classList(Path archive) {
    return beside(archive, ".pid" + ProcessHandle.current().pid());
  }

  static Path beside(Path archive, String suffix) {
    return archive.resolveSibling(archive.getFileName() + suffix);
  }

  /**
   * Has an archive made of what this JVM has loaded, by a process that outlives it; or, where it
   * was started with an archive of other jars, removes that, for the next client to note.
   *
   * @param complete whether it has loaded all that a client loads
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
      // The next client starts no slower than this one.
    }
  }

  /** Of the same jars and the same Java, in the last day: it would most likely fail again. */
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

  /** Nothing of it must hold what this process writes to, or write there. */
  static ProcessBuilder silentProcess(List<String> command) {
    return new ProcessBuilder(command)
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD);
  }

  /** The class path is in the environment, and the child's as well. */
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

  /** Java and the class path of this process, with sizes and times. */
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
