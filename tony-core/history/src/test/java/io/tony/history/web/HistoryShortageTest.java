package io.tony.history.web;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.history.HistoryIndex;
import io.tony.history.RecordedJobs;
import io.tony.process.ScarceKernel;
import io.tony.process.ScarceSystem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/** The life of a history server in which one thread cannot be had, each in its turn. */
public class HistoryShortageTest {
  /** Two that look, and one for each of two logs. */
  private static final int THREADS = 4;

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  /** It does not begin, or the next look shows all jobs. */
  @Test
  public void shouldShowAllJobsOrNotBeginWhicheverThreadCannotBeHad() throws Exception {
    Path history = temporary.newFolder().toPath();
    RecordedJobs.writeEnded(history, 1);
    RecordedJobs.writeEnded(history, 2);
    List<String> outcomes = new ArrayList<>();
    for (int first = 1; first <= THREADS; first++) {
      try {
        outcomes.add(
            ScarceSystem.under(ScarceKernel.withoutThreads(first, 1), () -> serve(history)));
      } catch (IOException e) {
        assertTrue(
            e.toString(), e.getMessage().startsWith("no thread can be had for history-update: "));
        outcomes.add("not begun");
      }
    }

    assertEquals(List.of("not begun", "not begun", "shown", "shown"), outcomes);
  }

  private static String serve(Path history) throws Exception {
    Configuration conf = new YarnConfiguration();
    FileSystem fs = FileSystem.getLocal(conf).getRawFileSystem();
    try (HistoryIndex index =
            new HistoryIndex(
                fs, List.of(history.toUri().toString()), null, 2, () -> RecordedJobs.submitted(3));
        HistoryServer server =
            new HistoryServer(
                conf,
                fs,
                index,
                InetSocketAddress.createUnresolved("localhost", 0),
                Duration.ofMillis(20),
                Optional.empty())) {
      server.start();
      while (index.page(job -> true, 0, 10).total() < 2) {
        Thread.sleep(5); // nobody tells
      }
      return "shown";
    }
  }
}
