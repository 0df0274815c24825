package io.tony.logs;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileController;
import org.apache.hadoop.yarn.logaggregation.filecontroller.LogAggregationFileControllerFactory;
import org.apache.hadoop.yarn.logaggregation.filecontroller.tfile.LogAggregationTFileController;

/**
 * Reads pieces of aggregated container logs for a process that runs as another user than the owner
 * of the logs. The owner can write anything to these files, so reading is limited in time and
 * memory. Hadoop's own readers trust the files; therefore only files in TFile format are supported,
 * which {@link AggregatedFile} reads safely.
 */
public final class AggregatedLogPieces {
  private static final int BUFFER_BYTES = 64 * 1024;

  /**
   * Maximum number of aggregated files of one node; for a job that runs for days, a node writes
   * several.
   */
  private static final int MAX_FILES = 1_000;

  /** Key of the record in which a node writes the owner of the application. */
  private static final String OWNER = "APPLICATION_OWNER";

  private final Configuration conf;
  private final ApplicationId application;
  private final String owner;
  private final Duration timeout;

  /**
   * {@code owner} is the user whose logs may be read; {@code timeout} is the maximum time to find
   * one piece.
   */
  public AggregatedLogPieces(
      Configuration conf, ApplicationId application, String owner, Duration timeout) {
    this.conf = conf;
    this.application = application;
    this.owner = owner;
    this.timeout = timeout;
  }

  /**
   * Returns a piece of one log file of a container; empty if there is no such file.
   *
   * @param node node on which the container ran; files of other nodes are not opened
   * @param from offset in bytes; negative for the last piece of the file
   * @throws IOException also if no log of the application is available
   */
  public Optional<LogPiece> piece(String container, String node, String file, long from)
      throws IOException {
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      for (Path aggregated : filesOfNode(node, deadline)) {
        Optional<LogPiece> piece = pieceIn(aggregated, container, file, from, deadline);
        if (piece.isPresent()) {
          return piece;
        }
      }
      return Optional.empty();
    } catch (RuntimeException e) {
      throw new IOException(e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }
  }

  private List<Path> filesOfNode(String node, long deadline) throws IOException {
    LogAggregationFileController controller = fileController();
    Path folder = controller.getRemoteAppLogDir(application, owner);
    FileSystem fs = folder.getFileSystem(conf);
    if (!fs.exists(folder)) {
      folder = controller.getOlderRemoteAppLogDir(application, owner);
    }
    String begin = node.replace(':', '_') + "_";
    RemoteIterator<FileStatus> all = fs.listStatusIterator(folder);
    List<Path> found = new ArrayList<>();
    while (all.hasNext() && found.size() < MAX_FILES) {
      checkDeadline(deadline);
      FileStatus status = all.next();
      String name = status.getPath().getName();
      if (status.isFile() && name.startsWith(begin) && !name.endsWith(".tmp")) {
        found.add(status.getPath());
      }
    }
    return found;
  }

  private LogAggregationFileController fileController() throws IOException {
    LogAggregationFileController controller;
    try {
      controller =
          new LogAggregationFileControllerFactory(conf)
              .getFileControllerForRead(application, owner);
    } catch (IOException | RuntimeException e) {
      throw AggregatedLogs.readableError(e);
    }
    if (!(controller instanceof LogAggregationTFileController)) {
      throw new IOException(
          "they are not of the format TFile (yarn.log-aggregation.file-formats), which alone is"
              + " read here");
    }
    return controller;
  }

  private Optional<LogPiece> pieceIn(
      Path aggregated, String container, String file, long from, long deadline) throws IOException {
    FileSystem fs = aggregated.getFileSystem(conf);
    try (AggregatedFile records =
        new AggregatedFile(fs, aggregated, () -> checkDeadline(deadline))) {
      boolean owned = false;
      for (String key = records.next(); key != null; key = records.next()) {
        if (key.equals(OWNER)) {
          owned = records.value().readUTF().equals(owner);
        } else if (key.equals(container)) {
          if (!owned) {
            // Nodes write the record of the owner before the records of the containers; so this
            // file names another owner, or none.
            throw new IOException(aggregated.getName() + " is another user's");
          }
          return pieceOf(records.value(), file, from, deadline);
        }
      }
      return Optional.empty();
    }
  }

  /**
   * Finds a log file in a container's record, which contains for each file its name, its length as
   * decimal digits, and its contents. Returns empty if the record does not contain {@code file}.
   */
  private static Optional<LogPiece> pieceOf(
      DataInputStream in, String file, long from, long deadline) throws IOException {
    while (true) {
      String name;
      try {
        name = in.readUTF();
      } catch (EOFException e) {
        return Optional.empty();
      }
      long length = length(in.readUTF());
      if (name.equals(file)) {
        long begin = from < 0 ? Math.max(0, length - LogPiece.MAX_BYTES) : Math.min(from, length);
        skip(in, begin, deadline);
        byte[] bytes = in.readNBytes((int) Math.min(LogPiece.MAX_BYTES, length - begin));
        boolean all = bytes.length == Math.min(LogPiece.MAX_BYTES, length - begin);
        // If the contents are shorter than the announced length, treat their end as the end of the
        // file.
        return Optional.of(LogPiece.of(begin, bytes, all ? length : begin + bytes.length, true));
      }
      skip(in, length, deadline);
    }
  }

  private static long length(String digits) throws IOException {
    if (!digits.matches("\\d{1,18}")) {
      throw new IOException("a file in there has a length that is no number");
    }
    return Long.parseLong(digits);
  }

  private static void skip(InputStream in, long bytes, long deadline) throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    for (long left = bytes; left > 0; ) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        throw new EOFException("a file in there is shorter than it says");
      }
      left -= read;
      checkDeadline(deadline);
    }
  }

  private static void checkDeadline(long deadline) throws IOException {
    if (System.nanoTime() - deadline > 0) {
      throw new IOException("it takes too long to find it there");
    }
  }
}
