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
 * Where the client's JVM finds its classes prepared, or notes which ones it loads: the first client
 * leaves an archive of them for those that follow. What stands in it is run as Azkaban's user, so
 * it is taken from a folder only that nobody else can write to or put another one in place of.
 */
final class ClientArchive {

  private ClientArchive() {}

  /**
   * The options of a client's JVM for it; none where there can be no such folder.
   *
   * @param folder of this user; made where it is missing
   * @param startedWith Java, its options, the class path, and what else an archive depends on
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
          "-Xlog:cds*=off", // that one does not fit is no news for the job's log
          ready
              ? "-XX:SharedArchiveFile=" + archive
              : "-XX:DumpLoadedClassList=" + archive + ".%p");
    } catch (IOException | RuntimeException e) {
      return Collections.emptyList();
    }
  }
}
