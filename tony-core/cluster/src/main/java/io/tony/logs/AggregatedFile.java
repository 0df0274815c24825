package io.tony.logs;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.InflaterInputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.file.tfile.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of an aggregated log file from the first to the last. NodeManagers write such
 * files in Hadoop's TFile format. Unlike Hadoop's own reader, which allocates buffers of any size
 * and instantiates a class as the file says, this reader is safe for untrusted files: it uses a few
 * buffers of fixed size and checks a deadline at every read.
 *
 * <p>The end of the file contains the offset of a list of the file's parts. The part {@code
 * BCFile.index} is the list of the file's blocks. A block contains records: the length of the key,
 * the key, and the value in chunks.
 */
final class AggregatedFile implements AutoCloseable {
  private static final int MAX_NAME_BYTES = 1_000;

  /** Maximum number of parts in the list that are searched for a part; NodeManagers write three. */
  private static final int MAX_PARTS = 100;

  private static final int MAX_KEY_BYTES = 65_536;
  private static final int BUFFER_BYTES = 64 * 1024;

  /**
   * Number of bytes at the end of the file: the offset of the list of parts, the version, and 16
   * bytes of magic numbers.
   */
  private static final int TAIL_BYTES = Long.BYTES + 2 * Short.BYTES + 16;

  // The first 8 of the 16 bytes of magic numbers.
  private static final long MAGIC = 0xd111_d368_91b5_d7b6L;
  private static final int VERSION = 1;
  private static final String BLOCKS = "data:BCFile.index";

  /** A time limit that is checked at each read. */
  @FunctionalInterface
  interface ReadDeadline {
    /** Throws an exception if the deadline has passed. */
    void check() throws IOException;
  }

  private record Region(long offset, long length) {}

  private final FileSystem fs;
  private final Path file;
  private final long length;
  private final ReadDeadline deadline;
  private final DataInputStream blocks; // the list of blocks in the part BCFile.index
  private final String compression;
  private int blocksLeft;
  // Contents of the current block, from which records are read; null before the first block and
  // between two blocks.
  private @Nullable DataInputStream block;
  // Value of the current record; null before the first and after the last one.
  private @Nullable DataInputStream value;

  /**
   * Opens {@code file} and reads its lists of parts and blocks.
   *
   * @throws IOException also if the file is not a TFile
   */
  AggregatedFile(FileSystem fs, Path file, ReadDeadline deadline) throws IOException {
    this.fs = fs;
    this.file = file;
    this.deadline = deadline;
    this.length = fs.getFileStatus(file).getLen();
    this.blocks = partOf(BLOCKS);
    try {
      this.compression = text(blocks);
      this.blocksLeft = Utils.readVInt(blocks);
    } catch (IOException | RuntimeException e) {
      blocks.close();
      throw e;
    }
  }

  /** Opens the part called {@code name}. */
  private DataInputStream partOf(String name) throws IOException {
    long at;
    try (DataInputStream tail = open(region(length - TAIL_BYTES, TAIL_BYTES), "none")) {
      at = tail.readLong();
      if (tail.readShort() != VERSION || tail.readShort() < 0 || tail.readLong() != MAGIC) {
        throw new IOException(file.getName() + " is no file of the format TFile");
      }
    }
    try (DataInputStream parts = open(region(at, length - TAIL_BYTES - at), "none")) {
      int count = Utils.readVInt(parts);
      for (int i = 0; i < Math.min(count, MAX_PARTS); i++) {
        boolean found = text(parts).equals(name);
        String codec = text(parts);
        Region region = nextRegion(parts);
        if (found) {
          return open(region, codec);
        }
      }
    }
    throw new IOException(file.getName() + " has no list of its blocks");
  }

  private static String text(DataInputStream in) throws IOException {
    int bytes = Utils.readVInt(in);
    if (bytes < 0 || bytes > MAX_NAME_BYTES) {
      throw new IOException("a name in there is longer than any that is written");
    }
    return new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
  }

  private Region nextRegion(DataInputStream in) throws IOException {
    Region region = region(Utils.readVLong(in), Utils.readVLong(in));
    // Skip the uncompressed size, which cannot be trusted.
    Utils.readVLong(in);
    return region;
  }

  private Region region(long offset, long bytes) throws IOException {
    if (offset < 0 || bytes < 0 || offset > length - bytes) {
      throw new IOException(file.getName() + " is shorter than it says");
    }
    return new Region(offset, bytes);
  }

  private DataInputStream open(Region region, String codec) throws IOException {
    if (!codec.equals("none") && !codec.equals("gz")) {
      throw new IOException(
          "it is compressed in a way that is not read here (yarn.nodemanager.log-aggregation"
              + ".compression-type): none and gz are");
    }
    deadline.check();
    FSDataInputStream in = fs.open(file);
    try {
      in.seek(region.offset());
    } catch (IOException e) {
      in.close();
      throw e;
    }
    InputStream bytes =
        new BufferedInputStream(new LimitedStream(in, region.length(), deadline), BUFFER_BYTES);
    return new DataInputStream(
        codec.equals("none")
            ? bytes
            : new BufferedInputStream(new InflaterInputStream(bytes), BUFFER_BYTES));
  }

  /** Advances to the next record and returns its key; null at the end of the file. */
  @Nullable String next() throws IOException {
    if (value != null) {
      drain(value);
      value = null;
    }
    while (true) {
      deadline.check();
      DataInputStream current = block;
      if (current != null) {
        int bytes = keyLength(current);
        if (bytes >= 0) {
          String key = key(current, bytes);
          value = new DataInputStream(new ChunkStream(current, deadline));
          return key;
        }
        current.close();
        block = null;
      }
      if (blocksLeft-- <= 0) {
        return null;
      }
      block = open(nextRegion(blocks), compression);
    }
  }

  /** Returns the length of the next key in bytes; negative at the end of {@code block}. */
  private static int keyLength(DataInputStream block) throws IOException {
    block.mark(1);
    if (block.read() < 0) {
      return -1;
    }
    block.reset();
    int bytes = Utils.readVInt(block);
    if (bytes < 0 || bytes > MAX_KEY_BYTES) {
      throw new IOException("a key in there is longer than any that is written");
    }
    return bytes;
  }

  /**
   * Reads a key of {@code bytes} bytes, which {@link java.io.DataOutput#writeUTF} wrote with a
   * length of its own.
   */
  private static String key(DataInputStream block, int bytes) throws IOException {
    byte[] key = block.readNBytes(bytes);
    try (DataInputStream text = new DataInputStream(new ByteArrayInputStream(key))) {
      return text.readUTF();
    }
  }

  private void drain(InputStream in) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    while (in.read(buffer) >= 0) {
      deadline.check();
    }
  }

  /** Returns the value of the current record; valid until the next call of {@link #next}. */
  DataInputStream value() {
    return Objects.requireNonNull(value);
  }

  @Override
  public void close() throws IOException {
    try {
      if (block != null) {
        block.close();
      }
    } finally {
      blocks.close();
    }
  }

  /** A stream whose method for reading one byte calls the method that reads several. */
  private abstract static class BlockStream extends InputStream {
    @Override
    public final int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public abstract int read(byte[] bytes, int from, int count) throws IOException;
  }

  /**
   * The next {@code bytes} bytes of another stream. Closing this stream closes the other stream.
   */
  private static final class LimitedStream extends BlockStream {
    private final InputStream in;
    private final ReadDeadline deadline;
    private long remaining;

    LimitedStream(InputStream in, long bytes, ReadDeadline deadline) {
      this.in = in;
      this.remaining = bytes;
      this.deadline = deadline;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      deadline.check();
      if (remaining <= 0) {
        return -1;
      }
      int read = in.read(bytes, from, (int) Math.min(count, remaining));
      remaining -= Math.max(read, 0);
      return read;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /**
   * The value of a record, read from its chunks. Each chunk is preceded by its length, which is
   * negative for all chunks but the last.
   */
  private static final class ChunkStream extends BlockStream {
    private final DataInputStream in;
    private final ReadDeadline deadline;
    private int remaining; // bytes left in the current chunk
    private boolean last;

    ChunkStream(DataInputStream in, ReadDeadline deadline) {
      this.in = in;
      this.deadline = deadline;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      while (remaining == 0) {
        if (last) {
          return -1;
        }
        deadline.check();
        int length = Utils.readVInt(in);
        last = length >= 0;
        remaining = Math.abs(length);
      }
      int read = in.read(bytes, from, Math.min(count, remaining));
      if (read < 0) {
        throw new EOFException("a file in there is shorter than it says");
      }
      remaining -= read;
      return read;
    }
  }
}
