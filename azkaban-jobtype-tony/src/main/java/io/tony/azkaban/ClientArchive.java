package io.tony.azkaban;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Where the client's JVM finds its classes prepared, or notes which ones it loads: the first client
 * leaves an archive of them for those that follow. What stands in it is run as Azkaban's user, so
 * it is taken from a folder only that nobody else can write to or put another one in place of.
 */
final class ClientArchive {

  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int OPEN_TO_OTHERS = 0077;

  /** As of /tmp: others cannot rename there what is not theirs. */
  private static final int STICKY = 01000;

  private static final int ROOT = 0;

  private ClientArchive() {}

  /**
   * The options of a client's JVM for it; none where there can be no such folder.
   *
   * @param folder of this user; made where it is missing
   * @param startedWith Java, its options and the class path
   */
  static List<String> options(String folder, List<String> startedWith) {
    try {
      Path own = own(Paths.get(folder).toAbsolutePath());
      // Machines that share a home have jars of other times: an archive fits one of them.
      byte[] host = Files.readAllBytes(Paths.get("/proc/sys/kernel/hostname"));
      String started = new String(host, StandardCharsets.UTF_8) + String.join("\n", startedWith);
      byte[] of = started.getBytes(StandardCharsets.UTF_8);
      Path archive = own.resolve("client-" + UUID.nameUUIDFromBytes(of) + ".jsa");
      boolean ready = Files.isRegularFile(archive, LinkOption.NOFOLLOW_LINKS);
      return Arrays.asList(
          "-Dtony.client.archive=" + archive,
          "-Xlog:cds*=off", // that one does not fit is no news for the job's log
          ready
              ? "-XX:SharedArchiveFile=" + archive
              : "-XX:DumpLoadedClassList=" + archive + ".%p");
    } catch (IOException | RuntimeException e) {
      return Collections.emptyList();
    }
  }

  private static Path own(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    Path real = folder.toRealPath();
    int self = number(Paths.get("/proc/self"), "uid");
    if (number(real, "uid") != self || (number(real, "mode") & OPEN_TO_OTHERS) != 0) {
      throw new IOException(real + " is not this user's alone");
    }
    for (Path above = real.getParent(); above != null; above = above.getParent()) {
      int owner = number(above, "uid");
      int mode = number(above, "mode");
      boolean shared = (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0;
      if (shared || (owner != self && owner != ROOT)) {
        throw new IOException("others can write to " + above);
      }
    }
    return real;
  }

  private static int number(Path file, String attribute) throws IOException {
    return (int) Files.getAttribute(file, "unix:" + attribute);
  }
}
