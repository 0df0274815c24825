package io.tony.client;

import io.tony.client.application.ExitCode;
import io.tony.client.application.HadoopErrors;
import io.tony.client.cluster.NoClusterException;
import io.tony.client.cluster.UnreachableServer;
import io.tony.client.input.JobFolder;
import io.tony.client.output.JobLog;
import io.tony.config.Secrets;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;

/**
 * Reports the errors that end a command or a thread: a sentence for the user and, for errors that
 * the client does not expect, the stack trace for TonY's maintainers. At a terminal, both are
 * printed. In Azkaban, the stack trace goes to a file in the execution's folder, which Azkaban
 * deletes later, and the sentence names the file.
 */
final class CrashReporter {
  /**
   * Prefix of the names of stack trace files. {@link JobFolder} never ships files with this prefix
   * to tasks.
   */
  private static final String PREFIX = ".tony-client-";

  private final Map<String, String> environment;
  private final JobLog out;
  private final PrintStream err;
  private final Configuration conf;

  /**
   * Creates a reporter.
   *
   * @param out output for the sentences
   * @param err output for the stack traces, unless they go to a file
   * @param conf configuration with the addresses of the cluster's servers, for messages about a
   *     server that cannot be reached
   */
  CrashReporter(Map<String, String> environment, JobLog out, PrintStream err, Configuration conf) {
    this.conf = conf;
    this.environment = environment;
    this.out = out;
    this.err = err;
  }

  /**
   * Reports the exception that ended a command. Returns the exit code with which the client exits.
   */
  ExitCode reportCommand(Throwable failure) {
    out.flushEvents();
    Optional<String> unreachable = UnreachableServer.sentence(failure, conf, environment);
    if (HadoopErrors.of(failure).isPresent()) {
      // no stack trace: the sentence says what to do
      out.println("FAILED: " + HadoopErrors.sentence(failure));
    } else if (failure instanceof NoClusterException) {
      out.println("FAILED: " + failure.getMessage());
    } else if (unreachable.isPresent()) {
      // No stack trace: unlike the sentence, it would not name the server.
      out.println("FAILED (LOST): " + unreachable.get());
    } else {
      report("FAILED (LOST): ", failure);
    }
    return ExitCode.INFRASTRUCTURE;
  }

  /** Reports that a background thread ended with an error. The command continues. */
  void reportThread(Thread thread, Throwable failure) {
    report("warning: the thread " + thread.getName() + " of this client has ended: ", failure);
  }

  private void report(String prefix, Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    String trace = Secrets.maskText(text.toString());
    String sentence = prefix + HadoopErrors.sentence(failure);
    try {
      JobFolder folder = JobFolder.of(environment);
      if (folder.isConfined()) {
        Path file = write(folder.executionFolder(), trace);
        out.println(sentence + "; its trace is in " + file + " of Azkaban's executor");
      } else {
        out.println(sentence);
        err.print(trace);
      }
    } catch (IOException | RuntimeException e) {
      out.println(sentence + "; its trace could not be written: " + HadoopErrors.sentence(e));
    }
    out.flush();
  }

  /**
   * Writes a stack trace to a new file that only Azkaban's own user can read. Returns the file.
   * Creates and opens the file in one step: the step's user may own the folder and could replace an
   * existing file by a symlink.
   */
  private static Path write(Path folder, String trace) throws IOException {
    Path file = folder.resolve(PREFIX + UUID.randomUUID() + ".log");
    try (SeekableByteChannel channel =
        Files.newByteChannel(
            file,
            Set.of(
                StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = ByteBuffer.wrap(trace.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
    return file;
  }
}
