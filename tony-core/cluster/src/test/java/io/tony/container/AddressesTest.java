package io.tony.container;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.tony.model.Endpoint;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.Timeout;

/**
 * Two ApplicationMasters of a job write their addresses at once, in every order of their calls of
 * the file system: executors find the later one at the end, whatever the earlier one has seen.
 */
public class AddressesTest {
  private static final Endpoint EARLIER = new Endpoint("node-1", 40_001);
  private static final Endpoint LATER = new Endpoint("node-2", 40_002);

  /** Calls of the file system: a file, a list and a renaming. */
  private static final int EARLIER_CALLS = 3;

  /** The same, a sign, and two files that are deleted. */
  private static final int LATER_CALLS = 6;

  private static Turns turns;

  /** Whose call is the next. Another one's waits for its turn. */
  private static final class Turns {
    private final Deque<Thread> order = new ArrayDeque<>();
    private final List<Thread> ended = new ArrayList<>();

    synchronized void take() throws IOException {
      try {
        while (next() != Thread.currentThread()) {
          wait();
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    /** Until it ends, a call has the turn. */
    synchronized void done() {
      order.poll();
      notifyAll();
    }

    synchronized void end() {
      ended.add(Thread.currentThread());
      notifyAll();
    }

    private Thread next() {
      while (!order.isEmpty() && ended.contains(order.peek())) {
        order.poll();
      }
      return order.isEmpty() ? Thread.currentThread() : order.peek();
    }
  }

  private interface Call<T> {
    T make() throws IOException;
  }

  private static <T> T inTurn(Call<T> call) throws IOException {
    turns.take();
    try {
      return call.make();
    } finally {
      turns.done();
    }
  }

  /** Local files; each call waits for its turn. */
  private static final class Stepped extends FilterFileSystem {
    Stepped(FileSystem fs) {
      super(fs);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public FSDataOutputStreamBuilder createFile(Path path) {
      try {
        return inTurn(() -> super.createFile(path));
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
      return inTurn(() -> super.delete(path, recursive));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
      return inTurn(() -> super.listStatus(path));
    }
  }

  /** The same for the one call that FileContext makes. Made by its name. */
  public static final class SteppedFiles extends DelegateToFileSystem {
    public SteppedFiles(URI uri, Configuration conf) throws IOException, URISyntaxException {
      super(uri, new RawLocalFileSystem(), conf, "file", false);
    }

    @Override
    public void renameInternal(Path from, Path to, boolean overwrite) throws IOException {
      inTurn(
          () -> {
            if (!new File(from.toUri().getPath()).renameTo(new File(to.toUri().getPath()))) {
              throw new IOException(from + " is not there");
            }
            return null;
          });
    }
  }

  @Rule public final TemporaryFolder temporary = new TemporaryFolder();
  @Rule public final Timeout limit = Timeout.seconds(120);

  private final ExecutorService earlier = Executors.newSingleThreadExecutor();
  private final ExecutorService later = Executors.newSingleThreadExecutor();
  private Thread earlierOne;
  private Thread laterOne;
  private FileSystem fs;

  @Before
  public void begin() throws Exception {
    earlierOne = earlier.submit(Thread::currentThread).get();
    laterOne = later.submit(Thread::currentThread).get();
    Configuration conf = new Configuration();
    conf.set("fs.AbstractFileSystem.file.impl", SteppedFiles.class.getName());
    fs = FileSystem.newInstanceLocal(conf).getRawFileSystem();
  }

  @After
  public void end() throws IOException {
    earlier.shutdownNow();
    later.shutdownNow();
    fs.close();
  }

  /** {@code order} has a bit for each call: that of the later one, or of the earlier one. */
  private boolean writeBoth(Staging staging, int order, int calls) throws Exception {
    turns = new Turns();
    for (int i = 0; i < calls; i++) {
      turns.order.add((order >> i & 1) == 1 ? laterOne : earlierOne);
    }
    Future<Boolean> first = earlier.submit(() -> write(staging, 1, EARLIER));
    assertTrue(later.submit(() -> write(staging, 2, LATER)).get());
    try {
      return first.get();
    } catch (ExecutionException e) {
      return false; // it would try again
    }
  }

  private static boolean write(Staging staging, int attempt, Endpoint address) throws IOException {
    try {
      return staging.tryPublishAddress(attempt, address);
    } finally {
      turns.end();
    }
  }

  @Test
  public void shouldShowTheLaterAddressInEveryOrder() throws Exception {
    int calls = EARLIER_CALLS + LATER_CALLS;
    int shown = 0;
    for (int order = 0; order < 1 << calls; order++) {
      if (Integer.bitCount(order) == LATER_CALLS) {
        Staging staging =
            new Staging(new Stepped(fs), temporary.getRoot().toString(), "application_1_" + order);
        staging.create();

        shown += writeBoth(staging, order, calls) ? 1 : 0;

        String why = Integer.toBinaryString(order);
        assertEquals(why, LATER, Staging.readAddress(fs, staging.master()));
        turns = new Turns();
        turns.end();
        Staging again = new Staging(fs, temporary.getRoot().toString(), "application_1_" + order);
        assertEquals(why, false, again.tryPublishAddress(1, EARLIER));
      }
    }
    assertTrue(shown + " times the earlier one came first", shown > 0);
  }
}
