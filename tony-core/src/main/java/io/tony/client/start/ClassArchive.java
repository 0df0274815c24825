package io.tony.client.start;

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
  private static final String MADE_OF = ".of";

  /** The same, where none could be made. */
  static final String FAILED = ".failed";

  private ClassArchive() {}

  /** Where this JVM notes what it loads: {@code -XX:DumpLoadedClassList=ARCHIVE.%p}. */
  private static Path list(Path archive) {
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
  public static void leave(boolean complete) {
    String named = System.getProperty(PROPERTY);
    if (named == null) {
      return;
    }
    Path archive = Path.of(named);
    Path list = list(archive);
    try {
      if (!Files.exists(list)) {
        removeOutdated(archive);
      } else if (!complete || hasFailed(archive) || !isBeingMade(archive)) {
        Files.delete(list);
      }
    } catch (IOException e) {
      // The next client starts no slower than this one.
    }
  }

  /** Of the same jars and the same Java, in the last day: it would most likely fail again. */
  private static boolean hasFailed(Path archive) throws IOException {
    Path failed = beside(archive, FAILED);
    Instant dayAgo = Instant.now().minus(Duration.ofDays(1));
    return Files.exists(failed)
        && Files.getLastModifiedTime(failed).toInstant().isAfter(dayAgo)
        && Files.readString(failed).equals(madeOf());
  }

  private static boolean isBeingMade(Path archive) {
    List<String> command = new ArrayList<>(List.of("nice", "-n", "10"));
    command.addAll(java());
    command.addAll(
        List.of(
            "-Xmx32m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            ArchiveMaker.class.getName(),
            archive.toString(),
            list(archive).toString(),
            Long.toString(ProcessHandle.current().pid())));
    try {
      Spawner.SYSTEM.process(silent(command));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Nothing of it must hold what this process writes to, or write there. */
  static ProcessBuilder silent(List<String> command) {
    return new ProcessBuilder(command)
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD);
  }

  /** The class path is in the environment, and the child's as well. */
  static List<String> java() {
    return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  private static void removeOutdated(Path archive) throws IOException {
    Path madeOf = beside(archive, MADE_OF);
    if (Files.exists(archive)
        && !(Files.exists(madeOf) && Files.readString(madeOf).equals(madeOf()))) {
      Files.deleteIfExists(archive);
    }
  }

  static void writeMadeOf(Path archive, String madeOf) throws IOException {
    Files.writeString(beside(archive, MADE_OF), madeOf);
  }

  /** Java and the class path of this process, with sizes and times. */
  static String madeOf() throws IOException {
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
