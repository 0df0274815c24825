package io.tony.eventlog;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;

/** The local file system with a flush that takes until it is let through, or made to fail. */
final class FlushGate implements AutoCloseable {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private final RawLocalFileSystem gated = new Gated();
  private volatile boolean failing;

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
    reached.await();
  }

  void open() {
    opened.countDown();
  }

  void fail() {
    failing = true;
    opened.countDown();
  }

  @Override
  public void close() {
    open();
  }

  private final class Gated extends RawLocalFileSystem {
    @Override
    protected OutputStream createOutputStreamWithMode(
        Path file, boolean append, FsPermission permission) throws IOException {
      return new GatedStream(super.createOutputStreamWithMode(file, append, permission));
    }
  }

  private final class GatedStream extends FilterOutputStream implements Syncable {
    GatedStream(OutputStream out) {
      super(out);
    }

    @Override
    public void hflush() throws IOException {
      reached.countDown();
      try {
        opened.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (failing) {
        throw new IOException("the data nodes are gone");
      }
      out.flush();
    }

    @Override
    public void hsync() throws IOException {
      hflush();
    }
  }
}
