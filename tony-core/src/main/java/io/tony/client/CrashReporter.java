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
 * Tells of trouble that nobody foresaw: a sentence for whoever runs the job, and the trace for
 * whoever looks after the program. A terminal gets both. In Azkaban the trace goes to a file in the
 * folder of the execution, which Azkaban deletes after a time, and the sentence names the file.
 */
final class CrashReporter {
  /** Such files are shipped to no task. */
  private static final String PREFIX = ".tony-client-";

  private final Map<String, String> environment;
  private final JobLog out;
  private final PrintStream err;
  private final Configuration conf;

  /** {@code conf} names the cluster's servers. */
  CrashReporter(Map<String, String> environment, JobLog out, PrintStream err, Configuration conf) {
    this.conf = conf;
    this.environment = environment;
    this.out = out;
    this.err = err;
  }

  /** A command could not do its work. */
  ExitCode reportCommand(Throwable failure) {
    out.flushEvents();
    Optional<String> unreachable = UnreachableServer.sentence(failure, conf, environment);
    if (HadoopErrors.of(failure).isPresent()) {
      out.println("FAILED: " + HadoopErrors.sentence(failure)); // what to do is said
    } else if (failure instanceof NoClusterException) {
      out.println("FAILED: " + failure.getMessage());
    } else if (unreachable.isPresent()) {
      out.println("FAILED (LOST): " + unreachable.get()); // a trace says nothing of the server
    } else {
      report("FAILED (LOST): ", failure);
    }
    return ExitCode.INFRASTRUCTURE;
  }

  /** A thread beside the command's own has ended. */
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
   * Writes a new file that only Azkaban's own user may read. The folder may be the step's user's,
   * who could put a link in the file's place at any moment: the file is never opened a second time.
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
