package io.tony.client.source;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.ArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * Packs the contents of a folder as tar.gz: sorted and without times and owners, so that the same
 * contents give the same bytes; executable files stay executable. Links are followed.
 */
public final class SourceArchive {
  private static final int EXECUTABLE = 0755;
  private static final int PLAIN = 0644;

  private SourceArchive() {}

  /** What cannot be packed: links that lead nowhere, or back to where they are. */
  static List<Path> unreadable(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isSymbolicLink)
          .filter(link -> !Files.exists(link) || leadsUp(link))
          .sorted()
          .collect(Collectors.toList());
    }
  }

  private static boolean leadsUp(Path link) {
    try {
      return link.toAbsolutePath().getParent().toRealPath().startsWith(link.toRealPath());
    } catch (IOException e) {
      return true;
    }
  }

  public static void write(Path folder, OutputStream out) throws IOException {
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(new GZIPOutputStream(out), "UTF-8")) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      tar.setAddPaxHeadersForNonAsciiNames(true);
      for (Path file : sorted(folder)) {
        if (!file.equals(folder) && !ours(folder.relativize(file))) {
          add(tar, folder.relativize(file).toString(), file);
        }
      }
    }
  }

  /** What the job type keeps in a job's folder, secrets included, is not part of the program. */
  private static boolean ours(Path relative) {
    return relative.getName(0).toString().startsWith(".tony-");
  }

  private static List<Path> sorted(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder, FileVisitOption.FOLLOW_LINKS)) {
      return files.sorted().collect(Collectors.toList());
    }
  }

  /**
   * Writes through the type of all archives: the methods of {@link TarArchiveOutputStream} itself
   * differ between the Commons Compress of Hadoop 3.3 and that of 3.4.
   */
  private static void add(ArchiveOutputStream<TarArchiveEntry> tar, String name, Path file)
      throws IOException {
    boolean directory = Files.isDirectory(file);
    TarArchiveEntry entry = new TarArchiveEntry(directory ? name + "/" : name);
    entry.setModTime(0L);
    entry.setMode(directory || Files.isExecutable(file) ? EXECUTABLE : PLAIN);
    if (!directory) {
      entry.setSize(Files.size(file));
    }
    tar.putArchiveEntry(entry);
    if (!directory) {
      Files.copy(file, tar);
    }
    tar.closeArchiveEntry();
  }
}
