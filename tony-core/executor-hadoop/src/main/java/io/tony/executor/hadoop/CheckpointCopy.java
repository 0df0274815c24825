package io.tony.executor.hadoop;

import io.tony.checkpoint.CheckpointFile;
import io.tony.checkpoint.Manifest;
import io.tony.container.local.LocalClusterFolders;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StreamCorruptedException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * Copies a task's checkpoint to and from a file system of the cluster. Called by name, through
 * {@code HadoopCalls}.
 */
public final class CheckpointCopy {
  private static final String DAMAGED = ".damaged";

  /**
   * Thrown when a stored checkpoint is missing or incomplete, or differs from what was uploaded.
   */
  private static final class DamagedCheckpointException extends IOException {
    private static final long serialVersionUID = 1;

    DamagedCheckpointException(String what, @Nullable Throwable cause) {
      super(what, cause);
    }
  }

  private CheckpointCopy() {}

  private static Configuration conf() {
    Configuration conf = new Configuration();
    LocalClusterFolders.ofContainer(System.getenv()).ifPresent(here -> here.configure(conf));
    // Keep the file system open when this JVM is told to end: a copy may still be running.
    conf.setBoolean(CommonConfigurationKeysPublic.FS_AUTOMATIC_CLOSE_KEY, false);
    return conf;
  }

  /**
   * Uploads a checkpoint: writes it into a temporary folder, and renames this folder when the
   * checkpoint is complete.
   *
   * @param folder URI of the folder of all checkpoint sets
   * @param checkpointName name of the set's folder
   * @param container ID of the task's container; makes the temporary folder's name unique
   * @param manifest text of the manifest, with an empty list of files
   * @param files local files to copy; the keys are their paths in the checkpoint's data folder
   * @param check called when all files are copied; if it throws an exception, this method throws
   *     it, too, and nothing is saved
   * @param tokens tokens of the job's submitter, in the format of Hadoop's token file
   * @return text of the manifest with its list of files; if the set already holds a checkpoint of
   *     this task, text of the manifest of that checkpoint
   */
  public static String upload(
      String folder,
      String checkpointName,
      String container,
      String manifest,
      Map<String, java.nio.file.Path> files,
      Callable<Void> check,
      byte[] tokens)
      throws IOException, InterruptedException {
    Manifest withoutFiles = Manifest.read(manifest);
    Path taskFolder =
        new Path(new Path(folder, checkpointName), Manifest.folderOf(withoutFiles.task()));
    Path partialFolder =
        new Path(taskFolder.getParent(), Manifest.temporaryName(taskFolder.getName(), container));
    return SubmitterFileSystem.runAsSubmitter(
        taskFolder.toUri(),
        conf(),
        tokens,
        fs -> {
          if (fs.exists(taskFolder)) {
            return readManifest(fs, taskFolder);
          }
          try {
            String manifestText =
                new PartialCheckpoint(fs, partialFolder).write(withoutFiles, files, check);
            if (!fs.rename(partialFolder, taskFolder)) {
              throw new IOException(
                  partialFolder + " cannot be renamed to " + taskFolder.getName());
            }
            // If another container of the same task has finished first, taskFolder existed, and
            // rename has moved partialFolder into taskFolder. Then the other container's checkpoint
            // stays, and this one is deleted.
            Path nested = new Path(taskFolder, partialFolder.getName());
            if (fs.exists(nested)) {
              fs.delete(nested, true);
              return readManifest(fs, taskFolder);
            }
            return manifestText;
          } catch (IOException | InterruptedException | RuntimeException e) {
            new PartialCheckpoint(fs, partialFolder).remove();
            throw e;
          }
        });
  }

  /**
   * Downloads a checkpoint. If the checkpoint is damaged, its folder is renamed, so that no task
   * finds it again.
   *
   * @param folder URI of the folder of all checkpoint sets
   * @param checkpointName name of the set's folder
   * @param task name of the task's folder in the set
   * @param localFiles maps the path of each file in the checkpoint's data folder to a local file
   * @param tokens tokens of the job's submitter, in the format of Hadoop's token file
   * @return text of the manifest
   * @throws StreamCorruptedException if the checkpoint is damaged (a JDK exception, because the
   *     caller shares only JDK classes with this class)
   * @throws FileNotFoundException if the checkpoint is missing
   */
  public static String download(
      String folder,
      String checkpointName,
      String task,
      Function<String, java.nio.file.Path> localFiles,
      byte[] tokens)
      throws IOException, InterruptedException {
    Path taskFolder = new Path(new Path(folder, checkpointName), task);
    return SubmitterFileSystem.runAsSubmitter(
        taskFolder.toUri(),
        conf(),
        tokens,
        fs -> {
          try {
            return read(fs, taskFolder, localFiles);
          } catch (DamagedCheckpointException e) {
            throw unusable(fs, taskFolder, e);
          }
        });
  }

  /**
   * Renames the folder of a damaged checkpoint, and returns the exception to throw. If the folder
   * is gone and no other task has renamed it, returns the exception for a missing checkpoint.
   */
  private static IOException unusable(
      FileSystem fs, Path taskFolder, DamagedCheckpointException damage) throws IOException {
    Path aside = taskFolder.suffix(DAMAGED);
    if (!fs.exists(taskFolder) && !fs.exists(aside)) {
      IOException missing =
          new FileNotFoundException(
              taskFolder
                  + " is not there any more: the next start goes on from what is there then");
      missing.initCause(damage);
      return missing;
    }
    IOException damaged =
        new StreamCorruptedException(
            "it is damaged: "
                + damage.getMessage()
                + (trySetAside(fs, taskFolder, aside)
                    ? ". Its folder is called "
                        + aside.getName()
                        + " now: the next start goes on from an older one, or starts clean"
                    : ". Its folder could not be renamed: delete or rename " + taskFolder));
    damaged.initCause(damage);
    return damaged;
  }

  private static boolean trySetAside(FileSystem fs, Path taskFolder, Path aside)
      throws IOException {
    try {
      return fs.rename(taskFolder, aside) || !fs.exists(taskFolder);
    } catch (IOException e) {
      // If the folder is gone, another task has found the damage, too, and has renamed the folder.
      return !fs.exists(taskFolder);
    }
  }

  private static String readManifest(FileSystem fs, Path taskFolder) throws IOException {
    Path file = new Path(taskFolder, Manifest.FILE);
    requireBytes(fs, file, -1);
    try (InputStream in = fs.open(file)) {
      byte[] bytes = in.readNBytes(Manifest.MAX_BYTES + 1);
      if (bytes.length > Manifest.MAX_BYTES) {
        throw new DamagedCheckpointException(
            file + " has more than " + Manifest.MAX_BYTES + " bytes", null);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (ChecksumException e) {
      throw new DamagedCheckpointException(file + ": " + e.getMessage(), e);
    }
  }

  private static String read(
      FileSystem fs, Path taskFolder, Function<String, java.nio.file.Path> localFiles)
      throws IOException {
    String text = readManifest(fs, taskFolder);
    Path file = new Path(taskFolder, Manifest.FILE);
    Manifest manifest;
    try {
      manifest = Manifest.read(text);
    } catch (IOException e) {
      throw new DamagedCheckpointException(file + ": " + e.getMessage(), e);
    }
    for (CheckpointFile checkpointFile : manifest.files()) {
      read(
          fs,
          new Path(new Path(taskFolder, Manifest.DATA), checkpointFile.path()),
          checkpointFile,
          localFiles);
    }
    return text;
  }

  private static void read(
      FileSystem fs,
      Path from,
      CheckpointFile checkpointFile,
      Function<String, java.nio.file.Path> localFiles)
      throws IOException {
    requireBytes(fs, from, checkpointFile.bytes());
    java.nio.file.Path to;
    try {
      to = localFiles.apply(checkpointFile.path());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    Files.createDirectories(to.getParent());
    try (InputStream in = fs.open(from);
        OutputStream out = Files.newOutputStream(to)) {
      CheckpointFile read = CheckedCopy.copy(checkpointFile.path(), in, out);
      if (read.bytes() != checkpointFile.bytes() || read.crc() != checkpointFile.crc()) {
        throw new DamagedCheckpointException(
            from
                + " has "
                + read.bytes()
                + " bytes with CRC "
                + Integer.toHexString(read.crc())
                + ", and was kept with "
                + checkpointFile.bytes()
                + " and "
                + Integer.toHexString(checkpointFile.crc()),
            null);
      }
    } catch (ChecksumException e) {
      throw new DamagedCheckpointException(from + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks that the file exists and has this size; any size if {@code bytes} is negative.
   *
   * @throws DamagedCheckpointException if not
   */
  private static void requireBytes(FileSystem fs, Path file, long bytes) throws IOException {
    try {
      long actual = fs.getFileStatus(file).getLen();
      if (bytes >= 0 && actual != bytes) {
        throw new DamagedCheckpointException(
            file + " has " + actual + " bytes, and was kept with " + bytes, null);
      }
    } catch (FileNotFoundException e) {
      throw new DamagedCheckpointException(file + " is not there", e);
    }
  }
}
