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
 * The class data sharing (CDS) archive of the client's JVM, for a faster start. The first client
 * leaves an archive of the classes that it loads, for later clients. The archive's content runs as
 * Azkaban's user, so it is used only from a folder that no other user can write to or replace.
 */
final class ClientArchive {

  private ClientArchive() {}

  /**
   * Returns the JVM options that use or create the archive; empty if there is no safe folder for
   * it.
   *
   * @param folder owned by this user; created if missing
   * @param startedWith everything an archive depends on: Java, its options, the class path and more
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
          "-Xlog:cds*=off", // a mismatching archive must not add lines to the job's log
          ready
              ? "-XX:SharedArchiveFile=" + archive
              : "-XX:DumpLoadedClassList=" + archive + ".%p");
    } catch (IOException | RuntimeException e) {
      return Collections.emptyList();
    }
  }
}
