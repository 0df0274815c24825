package io.tony.azkaban;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * The class data sharing (CDS) archive with which the client's JVM starts faster. The first client
 * creates an archive of the classes that it loads; later clients use the archive. Classes from an
 * archive run with the rights of Azkaban's user, so the archive is kept only in a folder that no
 * other user can write to or replace.
 */
final class ClientArchive {

  private ClientArchive() {}

  /**
   * Returns the JVM options that use the archive, or create it if it does not exist yet. Returns no
   * options if the folder cannot be created or is accessible to other users.
   *
   * @param folder the folder of archives; created if missing
   * @param startedWith everything on which an archive's content depends, such as Java, the JVM
   *     options and the class path; each combination has its own archive
   */
  static List<String> options(String folder, List<String> startedWith) {
    try {
      Path ownFolder = OwnFolder.make(Paths.get(folder));
      String started = String.join("\n", startedWith);
      byte[] keyBytes = started.getBytes(StandardCharsets.UTF_8);
      Path archive = ownFolder.resolve("client-" + UUID.nameUUIDFromBytes(keyBytes) + ".jsa");
      boolean ready = Files.isRegularFile(archive, LinkOption.NOFOLLOW_LINKS);
      return Arrays.asList(
          "-Dtony.client.archive=" + archive,
          // Without this option, a JVM that cannot use the archive would write lines to the job's
          // log.
          "-Xlog:cds*=off",
          ready
              ? "-XX:SharedArchiveFile=" + archive
              : "-XX:DumpLoadedClassList=" + archive + ".%p");
    } catch (IOException | RuntimeException e) {
      return Collections.emptyList();
    }
  }
}
