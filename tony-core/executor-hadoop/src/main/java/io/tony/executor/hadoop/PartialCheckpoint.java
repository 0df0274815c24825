package io.tony.executor.hadoop;

import io.tony.checkpoint.CheckpointFile;
import io.tony.checkpoint.Manifest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The temporary folder in the cluster into which one checkpoint is uploaded; renamed when the
 * checkpoint is complete.
 *
 * @param folder path of the temporary folder
 */
record PartialCheckpoint(FileSystem fs, Path folder) {
  /**
   * Copies all files into the folder and then writes the manifest.
   *
   * @param manifest manifest with an empty list of files
   * @param files local files to copy; the keys are their paths in the checkpoint's data folder
   * @param check called when the files are copied, before the manifest is written; its exceptions
   *     are rethrown
   * @return text of the manifest with its list of files
   */
  String write(Manifest manifest, Map<String, java.nio.file.Path> files, Callable<Void> check)
      throws IOException, InterruptedException {
    List<CheckpointFile> copiedFiles = new ArrayList<>();
    long totalBytes = 0;
    for (Map.Entry<String, java.nio.file.Path> file : files.entrySet()) {
      Path to = new Path(new Path(folder, Manifest.DATA), file.getKey());
      try (InputStream in = Files.newInputStream(file.getValue());
          OutputStream out = fs.create(to, true)) {
        CheckpointFile copied = CheckedCopy.copy(file.getKey(), in, out);
        copiedFiles.add(copied);
        totalBytes += copied.bytes();
      }
    }
    runCheck(check);
    String manifestText = manifest.withFiles(copiedFiles).write();
    byte[] bytes = manifestText.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > Manifest.MAX_BYTES) {
      throw new IOException(
          "the list of its files has "
              + bytes.length
              + " bytes, and at most "
              + Manifest.MAX_BYTES
              + " can be read: write fewer files, or shorter names");
    }
    try (OutputStream out = fs.create(new Path(folder, Manifest.FILE), true)) {
      out.write(bytes);
    }
    requireAll(files.size() + 1, totalBytes + bytes.length);
    return manifestText;
  }

  private static void runCheck(Callable<Void> check) throws IOException, InterruptedException {
    try {
      check.call();
    } catch (IOException | InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e.toString(), e);
    }
  }

  /**
   * Throws an exception unless the folder holds exactly this number of files and bytes. If somebody
   * deletes the checkpoint set during the upload, the file system silently creates the folders
   * again for the next file, and the earlier files are missing. Counting is enough, because only
   * this upload writes into the folder.
   */
  private void requireAll(int files, long bytes) throws IOException {
    int actualFiles = 0;
    long actualBytes = 0;
    RemoteIterator<LocatedFileStatus> entries = fs.listFiles(folder, true);
    while (entries.hasNext()) {
      actualFiles++;
      actualBytes += entries.next().getLen();
    }
    if (actualFiles != files || actualBytes != bytes) {
      throw new IOException(
          folder.getParent()
              + " was deleted while the checkpoint was copied to it: newer ones are whole, or"
              + " another process has cleared the folder");
    }
  }

  /**
   * Deletes the folder, if possible. If not, it is deleted later together with its checkpoint set.
   */
  void remove() {
    // Clear the interrupt until the folder is deleted, because Hadoop makes no calls on an
    // interrupted thread.
    boolean interrupted = Thread.interrupted();
    try {
      fs.delete(folder, true);
    } catch (IOException e) {
      // Ignored: the caller throws the exception that made the upload fail.
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
