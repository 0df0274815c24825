package io.tony.eventlog;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;

/** The local file system with a flush that takes until it is let through, or made to fail. */
final class FlushGate implements AutoCloseable {
  /** A flush on its way: who comes waits until it is opened. */
  private static final class Door {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
  }

  private final RawLocalFileSystem gated = new Gated();
  private final Semaphore failures = new Semaphore(0);
  private final AtomicInteger failingAfterwards = new AtomicInteger();
  private volatile Door door = new Door();
  private volatile boolean failing;
  private final AtomicInteger unclosed = new AtomicInteger();
  private final AtomicInteger failingLooks = new AtomicInteger();
  private volatile Consumer<Path> afterCreation = file -> {};

  private FlushGate() {}

  static FlushGate on(FileSystem local) throws IOException {
    FlushGate gate = new FlushGate();
    gate.gated.initialize(local.getUri(), local.getConf());
    return gate;
  }

  FileSystem fileSystem() {
    return gated;
  }

  void awaitFlush() throws InterruptedException {
    door.reached.await();
  }

  void open() {
    door.opened.countDown();
  }

  /** The next flush waits. */
  void hold() {
    door = new Door();
  }

  /** Lets the flush through that waits; the next one waits, too. */
  void openForOne() {
    Door before = door;
    hold();
    before.opened.countDown();
  }

  void fail() {
    failing = true;
    open();
  }

  /** Returns when so many flushes have failed. */
  void awaitFailures(int count) throws InterruptedException {
    failures.acquire(count);
  }

  /** Flushes work again. */
  void repair() {
    failing = false;
  }

  /** The next so many flushes write all and fail then. */
  void failAfterWriting(int flushes) {
    failingAfterwards.set(flushes);
    open();
  }

  /** The next look of the thread that writes at what the folder has. */
  void failNextLook() {
    failingLooks.set(1);
  }

  /** How many files are open that were created. */
  int unclosed() {
    return unclosed.get();
  }

  /** What is done after a file is created, and before it is known to the creator. */
  void afterCreation(Consumer<Path> step) {
    afterCreation = step;
  }

  @Override
  public void close() {
    open();
  }

  private final class Gated extends RawLocalFileSystem {
    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
      if (Thread.currentThread().getName().equals("event-log") && failingLooks.getAndSet(0) > 0) {
        throw new IOException("the NameNode is away");
      }
      return super.listStatusIterator(path);
    }

    @Override
    protected OutputStream createOutputStreamWithMode(
        Path file, boolean append, FsPermission permission) throws IOException {
      OutputStream out = super.createOutputStreamWithMode(file, append, permission);
      afterCreation.accept(file);
      return new GatedStream(out);
    }
  }

  private final class GatedStream extends FilterOutputStream implements Syncable {
    private final AtomicBoolean closed = new AtomicBoolean();

    GatedStream(OutputStream out) {
      super(out);
      unclosed.incrementAndGet();
    }

    @Override
    public void close() throws IOException {
      super.close();
      if (closed.compareAndSet(false, true)) {
        unclosed.decrementAndGet();
      }
    }

    @Override
    public void hflush() throws IOException {
      Door before = door;
      before.reached.countDown();
      try {
        before.opened.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (failing) {
        failures.release();
        throw new IOException("the data nodes are gone");
      }
      out.flush();
      if (failingAfterwards.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IOException("the answer was lost");
      }
    }

    @Override
    public void hsync() throws IOException {
      hflush();
    }
  }
}
