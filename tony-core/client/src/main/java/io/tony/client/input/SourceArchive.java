package io.tony.client.input;

import io.tony.client.input.ArchiveReader.Entry;
import io.tony.client.input.ArchiveReader.Format;
import io.tony.client.input.ArchiveReader.Kind;
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
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.ArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Packs the folder or archive {@code src_dir} as a tar.gz archive. Its entries have no times or
 * owners, and those of a folder are sorted, so that the same folder always gives the same tar
 * archive before compression. The entries of an archive keep their order. Executable files stay
 * executable. Links in a folder are replaced by their targets.
 */
public final class SourceArchive {
  private static final int EXECUTABLE_MODE = 0755;
  private static final int PLAIN_MODE = 0644;

  /**
   * Maximum unpacked size of a user's archive that is repacked: a few megabytes may unpack to
   * petabytes.
   */
  static final long MAX_UNPACKED_BYTES = 4L << 30;

  private SourceArchive() {}

  /**
   * Returns the files in a folder that cannot be packed: broken links, links to an enclosing
   * folder, pipes and devices.
   *
   * @param job decides which files are left out anyway
   */
  static List<Path> unreadableFiles(Path folder, JobFolder job) throws IOException {
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

  /** Returns false for pipes and devices, whose reading may never end. */
  static boolean isFileOrFolder(Path file) {
    return Files.isRegularFile(file) || Files.isDirectory(file);
  }

  private static boolean leadsUp(Path link) {
    try {
      Path folder = Objects.requireNonNull(link.toAbsolutePath().getParent());
      return folder.toRealPath().startsWith(link.toRealPath());
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Returns the files in a folder that the job may not ship. Call only if {@link #unreadableFiles}
   * returns nothing.
   */
  static List<Path> refusedFiles(Path folder, JobFolder job) throws IOException {
    List<Path> refused = new ArrayList<>();
    walk(folder, job, refused);
    return refused;
  }

  /**
   * Packs a folder.
   *
   * @param job decides which files may be read and which are left out
   * @return SHA-256 hash of the archive before compression, because compression libraries differ
   *     between machines
   * @throws IOException also if the job may not ship one of the files
   */
  public static String write(Path folder, JobFolder job, OutputStream out) throws IOException {
    List<Path> refused = new ArrayList<>();
    List<Path> packed = walk(folder, job, refused);
    if (!refused.isEmpty()) {
      throw new IOException("the job may not ship " + refused.get(0));
    }
    MessageDigest contents = Sha256.newDigest();
    try (TarArchiveOutputStream tar =
        tar(new DigestOutputStream(new GZIPOutputStream(out), contents))) {
      for (Path file : packed) {
        add(tar, folder.relativize(file).toString(), file, job);
      }
    }
    return Sha256.hexDigest(contents);
  }

  /**
   * Packs the entries of the user's archive, which has any supported format, as a tar.gz archive.
   * Links are not followed.
   *
   * @throws IOException also if {@link #problem} returns a problem for the archive
   */
  public static void repack(LocalFile archive, OutputStream out) throws IOException {
    Format format =
        ArchiveReader.format(archive)
            .orElseThrow(() -> new IOException(archive.path() + " is no archive"));
    long[] remaining = {MAX_UNPACKED_BYTES};
    try (TarArchiveOutputStream tar = tar(new GZIPOutputStream(out))) {
      ArchiveReader.read(
          archive,
          format,
          (entry, content) -> {
            add(tar, entry, content, remaining);
            return true;
          });
    }
  }

  /**
   * Returns why an archive cannot be unpacked into the working directory of a task; empty if it
   * can. The text is a clause that callers append to a text about the archive: {@code which holds a
   * pipe or a device …}.
   */
  static Optional<String> problem(ArchiveListing listing) {
    if (!listing.outsideEntries().isEmpty()) {
      return Optional.of(
          "which holds "
              + listing.outsideEntries().get(0)
              + ", a path outside of it: pack it again");
    }
    List<String> special = listing.ofKind(Kind.OTHER);
    if (!special.isEmpty()) {
      return Optional.of("which holds a pipe or a device, " + special.get(0) + ": leave it out");
    }
    return listing.isComplete()
        ? Optional.empty()
        : Optional.of(
            "which unpacks to more than "
                + (MAX_UNPACKED_BYTES >> 30)
                + " GiB: ship it with tony.containers.resources=FILE::NAME#archive, which each node"
                + " unpacks into the folder NAME");
  }

  private static void add(
      ArchiveOutputStream<TarArchiveEntry> tar, Entry entry, InputStream content, long[] remaining)
      throws IOException {
    Optional<String> path = entry.path();
    if (path.isEmpty() || entry.kind() == Kind.OTHER) {
      throw new IOException(entry.name() + " cannot be unpacked into a task's folder");
    }
    if (path.get().isEmpty()) {
      return; // the folder into which the archive is unpacked
    }
    boolean folder = entry.kind() == Kind.FOLDER;
    String plain = path.get();
    TarArchiveEntry packed =
        switch (entry.kind()) {
          case SYMBOLIC_LINK -> new TarArchiveEntry(plain, TarConstants.LF_SYMLINK);
          case HARD_LINK -> new TarArchiveEntry(plain, TarConstants.LF_LINK);
          default -> new TarArchiveEntry(folder ? plain + "/" : plain);
        };
    packed.setModTime(0L);
    packed.setMode(folder || entry.executable() ? EXECUTABLE_MODE : PLAIN_MODE);
    packed.setLinkName(entry.target());
    if (entry.kind() != Kind.FILE) {
      tar.putArchiveEntry(packed);
      tar.closeArchiveEntry();
      return;
    }
    remaining[0] -= entry.bytes();
    if (remaining[0] < 0) {
      throw new IOException(
          "the archive unpacks to more than " + (MAX_UNPACKED_BYTES >> 30) + " GiB");
    }
    packed.setSize(entry.bytes());
    tar.putArchiveEntry(packed);
    content.transferTo(tar); // throws an exception if there is more content than declared
    tar.closeArchiveEntry();
  }

  private static TarArchiveOutputStream tar(OutputStream out) {
    TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8");
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    tar.setAddPaxHeadersForNonAsciiNames(true);
    return tar;
  }

  /**
   * Returns the files of a folder to pack, sorted.
   *
   * @param refused receives the files and folders that the job may not ship; the contents of such
   *     folders are not visited
   */
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
   * Adds a file. The archive has the common supertype of all archives, because the methods of
   * {@link TarArchiveOutputStream} differ between the Commons Compress of Hadoop 3.3 and that of
   * Hadoop 3.4.
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
    entry.setMode(directory || Files.isExecutable(file) ? EXECUTABLE_MODE : PLAIN_MODE);
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
