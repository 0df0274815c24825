package io.tony.client.input;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Enumeration;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.ArchiveEntry;
import org.apache.commons.compress.archivers.ArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;

/**
 * Reads the entries of an archive in the order in which they are stored. The format is recognized
 * by the archive's first bytes instead of its name, as in LinkedIn's TonY.
 */
final class ArchiveReader {
  private static final int PERMISSIONS = 0777;

  /** Formats of archives that TonY can read. */
  enum Format {
    ZIP,
    TAR,
    TAR_GZ
  }

  enum Kind {
    FILE,
    FOLDER,
    /** A link whose target is a path, absolute or relative to the link's own folder. */
    SYMBOLIC_LINK,
    /** A link whose target is the name of another entry. */
    HARD_LINK,
    /** Anything else, such as a device or a pipe. */
    OTHER
  }

  /**
   * One entry of an archive.
   *
   * @param name name as in the archive
   * @param target target of a link; empty for other kinds
   * @param permissions Unix permission bits; 0 if the archive contains none
   * @param bytes unpacked size; negative if it is not known
   */
  record Entry(String name, Kind kind, String target, int permissions, long bytes) {
    boolean executable() {
      return (permissions & 0111) != 0;
    }

    /**
     * Returns the entry's path, normalized and relative to the folder into which the archive is
     * unpacked; the path is an empty text for that folder itself. Returns an empty {@code Optional}
     * if the path is outside of that folder.
     */
    Optional<String> path() {
      Deque<String> parts = new ArrayDeque<>();
      for (String part : name.split("/", -1)) {
        if (!enter(parts, part)) {
          return Optional.empty();
        }
      }
      return Optional.of(String.join("/", parts)).filter(path -> !name.startsWith("/"));
    }
  }

  /** Receives the entries of an archive one by one. */
  interface Visitor {
    /**
     * Receives one entry.
     *
     * @param content content of the entry if it is a file; need not be read to its end
     * @return false to stop reading the archive
     */
    boolean visit(Entry entry, InputStream content) throws IOException;
  }

  private ArchiveReader() {}

  /**
   * Changes {@code folder} as one part of a path says: into a folder, or for {@code ..} into the
   * parent. Returns false if the parent is outside of the archive.
   */
  static boolean enter(Deque<String> folder, String part) {
    if (part.equals("..")) {
      return folder.pollLast() != null;
    }
    if (!part.isEmpty() && !part.equals(".")) {
      folder.add(part);
    }
    return true;
  }

  /**
   * Returns the format of an archive. Empty if the file is truncated or is no archive of a
   * supported format.
   */
  static Optional<Format> format(LocalFile file) throws IOException {
    byte[] firstBytes;
    try (InputStream in = file.open()) {
      firstBytes = in.readNBytes(2);
    }
    if (firstBytes.length == 2 && firstBytes[0] == 'P' && firstBytes[1] == 'K') {
      return Optional.of(Format.ZIP).filter(zip -> ArchiveCheck.problem(file, ".zip").isEmpty());
    }
    for (Format format : new Format[] {Format.TAR_GZ, Format.TAR}) {
      String suffix = format == Format.TAR ? ".tar" : ".tar.gz";
      if (ArchiveCheck.problem(file, suffix).isEmpty()) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /**
   * Passes the entries to {@code visitor} one by one, until it returns false or the archive ends.
   *
   * @throws IOException also if the archive is damaged
   */
  static void read(LocalFile file, Format format, Visitor visitor) throws IOException {
    try {
      if (format == Format.ZIP) {
        readZip(file, visitor);
        return;
      }
      try (InputStream in = new BufferedInputStream(file.open());
          ArchiveInputStream<TarArchiveEntry> tar =
              new TarArchiveInputStream(
                  format == Format.TAR ? in : new GZIPInputStream(in), "UTF-8")) {
        readTar(tar, visitor);
      }
    } catch (IllegalArgumentException e) { // thrown if a header is damaged
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * Reads a tar archive. The parameter has the common supertype of all archives, because {@link
   * TarArchiveInputStream} has other methods in the Commons Compress of Hadoop 3.3 than in that of
   * Hadoop 3.4.
   */
  private static void readTar(ArchiveInputStream<?> tar, Visitor visitor) throws IOException {
    boolean more = true;
    for (ArchiveEntry next = tar.getNextEntry(); more && next != null; next = tar.getNextEntry()) {
      TarArchiveEntry entry = (TarArchiveEntry) next;
      String target = entry.isSymbolicLink() || entry.isLink() ? entry.getLinkName() : "";
      more =
          visitor.visit(
              new Entry(
                  entry.getName(),
                  kind(entry),
                  target,
                  entry.getMode() & PERMISSIONS,
                  entry.getSize()),
              tar);
    }
  }

  private static Kind kind(TarArchiveEntry entry) {
    if (entry.isFIFO() || entry.isBlockDevice() || entry.isCharacterDevice()) {
      return Kind.OTHER; // devices and pipes, for which isFile() returns true
    }
    if (entry.isDirectory()) {
      return Kind.FOLDER;
    }
    if (entry.isSymbolicLink()) {
      return Kind.SYMBOLIC_LINK;
    }
    if (entry.isLink()) {
      return Kind.HARD_LINK;
    }
    return entry.isFile() ? Kind.FILE : Kind.OTHER;
  }

  @SuppressWarnings("deprecation") // Hadoop 3.3's Commons Compress has no builder
  private static void readZip(LocalFile file, Visitor visitor) throws IOException {
    try (ZipFile zip = new ZipFile(file.channel())) {
      boolean more = true;
      Enumeration<ZipArchiveEntry> entries = zip.getEntriesInPhysicalOrder();
      while (more && entries.hasMoreElements()) {
        ZipArchiveEntry entry = entries.nextElement();
        if (!entry.isDirectory() && !zip.canReadEntryData(entry)) {
          throw new IOException(
              entry.getName() + " is encrypted or packed by a method that is not known here");
        }
        Kind kind =
            entry.isDirectory()
                ? Kind.FOLDER
                : entry.isUnixSymlink() ? Kind.SYMBOLIC_LINK : Kind.FILE;
        Entry shown =
            new Entry(
                entry.getName(),
                kind,
                kind == Kind.SYMBOLIC_LINK ? zip.getUnixSymlink(entry) : "",
                entry.getUnixMode() & PERMISSIONS,
                entry.getSize());
        if (kind == Kind.FILE) {
          try (InputStream in = zip.getInputStream(entry)) {
            more = visitor.visit(shown, in);
          }
        } else {
          more = visitor.visit(shown, InputStream.nullInputStream());
        }
      }
    }
  }
}
