package io.tony.client.source;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
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

  /** What cannot be packed: links that lead nowhere or back to where they are, and no files. */
  static List<Path> unreadable(Path folder, JobFolder job) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> Files.isSymbolicLink(file) || !isFileOrFolder(file))
          .filter(file -> !job.withholds(folder.relativize(file)))
          .filter(file -> !isFileOrFolder(file) || leadsUp(file))
          .sorted()
          .toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Not a pipe, whose writer may never come, or a device, which may have no end. */
  static boolean isFileOrFolder(Path file) {
    return Files.isRegularFile(file) || Files.isDirectory(file);
  }

  private static boolean leadsUp(Path link) {
    try {
      return link.toAbsolutePath().getParent().toRealPath().startsWith(link.toRealPath());
    } catch (IOException e) {
      return true;
    }
  }

  /** Of what would be packed, what the job may not ship; where there is nothing unreadable. */
  static List<Path> refused(Path folder, JobFolder job) throws IOException {
    List<Path> refused = new ArrayList<>();
    walk(folder, job, refused);
    return refused;
  }

  /**
   * Packs a folder.
   *
   * @param job says what of it may be read
   */
  public static void write(Path folder, JobFolder job, OutputStream out) throws IOException {
    List<Path> refused = new ArrayList<>();
    List<Path> packed = walk(folder, job, refused);
    if (!refused.isEmpty()) {
      throw new IOException("the job may not ship " + refused.get(0));
    }
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(new GZIPOutputStream(out), "UTF-8")) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      tar.setAddPaxHeadersForNonAsciiNames(true);
      for (Path file : packed) {
        add(tar, folder.relativize(file).toString(), file, job);
      }
    }
  }

  /** What is to be packed, sorted. What the job may not ship is not looked into. */
  private static List<Path> walk(Path folder, JobFolder job, List<Path> refused)
      throws IOException {
    List<Path> packed = new ArrayList<>();
    Files.walkFileTree(
        folder,
        EnumSet.of(FileVisitOption.FOLLOW_LINKS),
        Integer.MAX_VALUE,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            return path.equals(folder) || take(path)
                ? FileVisitResult.CONTINUE
                : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            take(path);
            return FileVisitResult.CONTINUE;
          }

          private boolean take(Path path) throws IOException {
            if (job.withholds(folder.relativize(path))) {
              return false;
            }
            boolean allowed = job.refusal(path).isEmpty();
            (allowed ? packed : refused).add(path);
            return allowed;
          }
        });
    Collections.sort(packed);
    return packed;
  }

  /**
   * Writes through the type of all archives: the methods of {@link TarArchiveOutputStream} itself
   * differ between the Commons Compress of Hadoop 3.3 and that of 3.4.
   */
  private static void add(
      ArchiveOutputStream<TarArchiveEntry> tar, String name, Path file, JobFolder job)
      throws IOException {
    boolean directory = Files.isDirectory(file);
    if (!isFileOrFolder(file)) {
      throw new IOException(file + " is neither a file nor a folder");
    }
    TarArchiveEntry entry = new TarArchiveEntry(directory ? name + "/" : name);
    entry.setModTime(0L);
    entry.setMode(directory || Files.isExecutable(file) ? EXECUTABLE : PLAIN);
    if (!directory) {
      entry.setSize(Files.size(file));
    }
    tar.putArchiveEntry(entry);
    if (!directory) {
      try (InputStream in = job.file(file).open()) {
        in.transferTo(tar);
      }
    }
    tar.closeArchiveEntry();
  }
}
