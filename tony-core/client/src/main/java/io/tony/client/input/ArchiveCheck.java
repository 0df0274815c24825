package io.tony.client.input;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.compress.archivers.tar.TarUtils;

/**
 * Finds archives that nodes could not unpack: files whose format does not match their suffix, and
 * truncated zip and gzip files. Usually reads only the beginning and the end of a file, so it does
 * not find all damage in the middle; reads more of a gzip file if the length at its end is not that
 * of a tar file. Never refuses an archive that one of the usual tools has created.
 */
final class ArchiveCheck {
  /**
   * Bytes with which the last record of a zip file begins. The record has 22 bytes, followed by a
   * comment of at most 65,535 bytes.
   */
  private static final String ZIP_END = "PK\005\006";

  private static final int ZIP_END_BYTES = 22 + 0xffff;

  private static final int TAR_BLOCK = 512;

  /** Size of the buffer for reading whole files, which may have gigabytes. */
  private static final int BUFFER_BYTES = 64 << 10;

  /**
   * Maximum number of unpacked bytes that are read to find out whether a gzip file is complete; a
   * small file may unpack to petabytes.
   */
  private static final long MAX_UNPACKED_BYTES = 1L << 30;

  private ArchiveCheck() {}

  /**
   * Returns why YARN could not unpack an archive; empty if no problem is found. The text is a
   * clause that callers append to a text about the archive: {@code which is not a zip archive …}.
   *
   * @param shipped name of the archive on the nodes; its suffix decides how YARN unpacks the
   *     archive
   */
  static Optional<String> problem(LocalFile file, String shipped) {
    String name = shipped.toLowerCase(Locale.ROOT);
    try {
      if (name.endsWith(".zip") || name.endsWith(".jar")) {
        return problemUnless(isZip(file), "a zip archive");
      }
      if (name.endsWith(".tar.gz") || name.endsWith(".tgz")) {
        return problemUnless(isTarGz(file), "a gzipped tar archive");
      }
      if (name.endsWith(".tar")) {
        return problemUnless(isTar(file), "a tar archive");
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("which cannot be read: " + e.getMessage());
    }
  }

  private static Optional<String> problemUnless(boolean found, String expected) {
    return found
        ? Optional.empty()
        : Optional.of("which is not " + expected + " or is cut off: make it again");
  }

  private static boolean isZip(LocalFile file) throws IOException {
    String end = new String(lastBytes(file, ZIP_END_BYTES), StandardCharsets.ISO_8859_1);
    return end.contains(ZIP_END);
  }

  private static boolean isTar(LocalFile file) throws IOException {
    try (InputStream in = file.open()) {
      return beginsTar(in);
    }
  }

  private static boolean isTarGz(LocalFile file) throws IOException {
    try (InputStream packed = file.open();
        InputStream in = new GZIPInputStream(packed, BUFFER_BYTES)) {
      if (!beginsTar(in)) {
        return false;
      }
      // A gzip file ends with the length of its unpacked content. If it is complete, this is the
      // length of a tar file: a multiple of 512. Compressors that work in parallel may write the
      // length of only the last part; therefore, if it is no such multiple, read the file to its
      // end.
      byte[] length = lastBytes(file, Integer.BYTES);
      if (ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).getInt() % TAR_BLOCK != 0) {
        readUpTo(in, MAX_UNPACKED_BYTES);
      }
      return true;
    } catch (EOFException | ZipException e) {
      return false;
    }
  }

  private static void readUpTo(InputStream in, long maxBytes) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long read = 0;
    for (int n = in.read(buffer); n >= 0 && read < maxBytes; n = in.read(buffer)) {
      read += n;
    }
  }

  private static boolean beginsTar(InputStream in) throws IOException {
    byte[] header = in.readNBytes(TAR_BLOCK);
    if (header.length < TAR_BLOCK) {
      return false;
    }
    try {
      return Arrays.equals(header, new byte[TAR_BLOCK]) || TarUtils.verifyCheckSum(header);
    } catch (IllegalArgumentException e) { // the checksum in the header of a tar entry is no number
      return false;
    }
  }

  private static byte[] lastBytes(LocalFile file, int bytes) throws IOException {
    try (SeekableByteChannel channel = file.channel()) {
      channel.position(Math.max(0, channel.size() - bytes));
      return Channels.newInputStream(channel).readAllBytes();
    }
  }
}
