package io.tony.executor.hadoop;

import io.tony.checkpoint.KeptFile;
import io.tony.checkpoint.Manifest;
import io.tony.container.local.LocalFolders;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Copies a task's checkpoint into a file system of the cluster, and from there. */
public final class CheckpointCopy {
  private static final int BUFFER_BYTES = 128 * 1024;
  private static final String DAMAGED = ".damaged";

  /** What is there is not what was kept. */
  private static final class Damage extends IOException {
    private static final long serialVersionUID = 1;

    Damage(String what, Throwable cause) {
      super(what, cause);
    }
  }

  private CheckpointCopy() {}

  private static Configuration conf() {
    Configuration conf = new Configuration();
    LocalFolders.ofContainer(System.getenv()).ifPresent(here -> here.configure(conf));
    // A copy goes on while this process is told to end.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    return conf;
  }

  /**
   * Keeps one: writes to a folder of another name, which gets its own when all is there.
   *
   * @param folder URI of the folder of all sets
   * @param set name of the set's folder
   * @param container in which the task runs
   * @param manifest without files
   * @param files by their paths in the folder for data
   * @param check called when they are copied: what it throws is thrown, and nothing is kept
   * @return the manifest with the files; where the set has one of this task already, that one's
   */
  public static String keep(
      String folder,
      String set,
      String container,
      String manifest,
      Map<String, java.nio.file.Path> files,
      Callable<Void> check,
      byte[] tokens)
      throws IOException, InterruptedException {
    Manifest without = Manifest.read(manifest);
    Path own = new Path(new Path(folder, set), Manifest.folderOf(without.task()));
    Path written = new Path(own.getParent(), Manifest.unfinished(own.getName(), container));
    return Submission.act(
        own.toUri(),
        conf(),
        tokens,
        fs -> {
          if (fs.exists(own)) {
            return manifest(fs, own);
          }
          try {
            String whole = new Unfinished(fs, written).write(without, files, check);
            if (!fs.rename(written, own)) {
              throw new IOException(written + " cannot be renamed to " + own.getName());
            }
            // Another container of the task may have been faster: then it was moved into that one.
            Path within = new Path(own, written.getName());
            if (fs.exists(within)) {
              fs.delete(within, true);
              return manifest(fs, own);
            }
            return whole;
          } catch (IOException | InterruptedException | RuntimeException e) {
            new Unfinished(fs, written).remove();
            throw e;
          }
        });
  }

  static KeptFile copy(String path, InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    CRC32C crc = new CRC32C();
    long bytes = 0;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("the copy was given up");
      }
      crc.update(buffer, 0, read);
      out.write(buffer, 0, read);
      bytes += read;
    }
    return new KeptFile(path, bytes, (int) crc.getValue());
  }

  /**
   * Brings one back. Where it is not what was kept, its folder is given another name, and so it is
   * found no more.
   *
   * @param task name of the task's folder in that of the set
   * @param places gives each path in the folder for data its local file
   * @return its manifest
   * @throws StreamCorruptedException where it is damaged; who calls this has only classes of the
   *     JDK in common with it
   * @throws FileNotFoundException where it is not there any more
   */
  public static String bring(
      String folder,
      String set,
      String task,
      Function<String, java.nio.file.Path> places,
      byte[] tokens)
      throws IOException, InterruptedException {
    Path own = new Path(new Path(folder, set), task);
    return Submission.act(
        own.toUri(),
        conf(),
        tokens,
        fs -> {
          try {
            return read(fs, own, places);
          } catch (Damage e) {
            throw unusable(fs, own, e);
          }
        });
  }

  /** Several tasks may read the same, and find the same at the same time. */
  private static IOException unusable(FileSystem fs, Path own, Damage damage) throws IOException {
    Path aside = own.suffix(DAMAGED);
    if (!fs.exists(own) && !fs.exists(aside)) {
      IOException gone =
          new FileNotFoundException(
              own + " is not there any more: the next start goes on from what is there then");
      gone.initCause(damage);
      return gone;
    }
    IOException damaged =
        new StreamCorruptedException(
            "it is damaged: "
                + damage.getMessage()
                + (isSetAside(fs, own, aside)
                    ? ". Its folder is called "
                        + aside.getName()
                        + " now: the next start goes on from an older one, or starts clean"
                    : ". Its folder could not be renamed: delete or rename " + own));
    damaged.initCause(damage);
    return damaged;
  }

  private static boolean isSetAside(FileSystem fs, Path own, Path aside) throws IOException {
    try {
      return fs.rename(own, aside) || !fs.exists(own);
    } catch (IOException e) {
      return !fs.exists(own); // another task was faster
    }
  }

  private static String manifest(FileSystem fs, Path own) throws IOException {
    Path file = new Path(own, Manifest.FILE);
    requireBytes(fs, file, -1);
    try (InputStream in = fs.open(file)) {
      byte[] bytes = in.readNBytes(Manifest.MOST_BYTES + 1);
      if (bytes.length > Manifest.MOST_BYTES) {
        throw new Damage(file + " has more than " + Manifest.MOST_BYTES + " bytes", null);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (ChecksumException e) {
      throw new Damage(file + ": " + e.getMessage(), e);
    }
  }

  private static String read(FileSystem fs, Path own, Function<String, java.nio.file.Path> places)
      throws IOException {
    String text = manifest(fs, own);
    Path file = new Path(own, Manifest.FILE);
    Manifest manifest;
    try {
      manifest = Manifest.read(text);
    } catch (IOException e) {
      throw new Damage(file + ": " + e.getMessage(), e);
    }
    for (KeptFile kept : manifest.files()) {
      read(fs, new Path(new Path(own, Manifest.DATA), kept.path()), kept, places);
    }
    return text;
  }

  private static void read(
      FileSystem fs, Path from, KeptFile kept, Function<String, java.nio.file.Path> places)
      throws IOException {
    requireBytes(fs, from, kept.bytes());
    java.nio.file.Path to;
    try {
      to = places.apply(kept.path());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    Files.createDirectories(to.getParent());
    try (InputStream in = fs.open(from);
        OutputStream out = Files.newOutputStream(to)) {
      KeptFile read = copy(kept.path(), in, out);
      if (read.bytes() != kept.bytes() || read.crc() != kept.crc()) {
        throw new Damage(
            from
                + " has "
                + read.bytes()
                + " bytes with CRC "
                + Integer.toHexString(read.crc())
                + ", and was kept with "
                + kept.bytes()
                + " and "
                + Integer.toHexString(kept.crc()),
            null);
      }
    } catch (ChecksumException e) {
      throw new Damage(from + ": " + e.getMessage(), e);
    }
  }

  /** Any number where it is negative. */
  private static void requireBytes(FileSystem fs, Path file, long bytes) throws IOException {
    try {
      long there = fs.getFileStatus(file).getLen();
      if (bytes >= 0 && there != bytes) {
        throw new Damage(file + " has " + there + " bytes, and was kept with " + bytes, null);
      }
    } catch (FileNotFoundException e) {
      throw new Damage(file + " is not there", e);
    }
  }
}
