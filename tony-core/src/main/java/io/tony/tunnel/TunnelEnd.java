package io.tony.tunnel;

import io.tony.clock.AwakeClock;
import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One end of a tunnel: sends in order what it is given, and hands on what the other end says. Two
 * threads of its own do that, until both ends have said their last or the tunnel is closed.
 */
public final class TunnelEnd implements AutoCloseable {
  /** An end that has nothing to send sends an empty chunk this often. */
  private static final long THERE_MS = 15_000;

  /**
   * How long a call is made again from its first failure: a connection may break, and its server
   * live.
   */
  private static final long PATIENCE_MS = 5_000;

  private static final long PAUSE_MS = 200;
  private static final int WAITING = 2;

  /** What the other end says, on a thread of the tunnel. */
  public interface Listener {
    void data(byte[] data) throws IOException, InterruptedException;

    /** The terminal at the other end has this size now. */
    void window(Chunk.Window window) throws IOException;

    /** Whether what the other end has said is of use when the tunnel is closed meanwhile. */
    default boolean hearsTheRest() {
      return false;
    }

    /** The last that it says. What is said to it may go on. */
    void ended(Chunk.End end) throws IOException;

    /**
     * Once: the tunnel is no more. {@code why} is empty when both ends have said their last. On any
     * thread, while another one may still be in a method of this.
     */
    void closed(String why);
  }

  private interface Call<T> {
    T make() throws IOException, Line.Closed, InterruptedException;
  }

  private final Line line;
  private final Listener listener;
  private final BlockingQueue<Chunk> toSend = new ArrayBlockingQueue<>(WAITING);
  private final AtomicReference<String> why = new AtomicReference<>();
  private final AtomicInteger running = new AtomicInteger(2);
  private volatile Thread sender; // null until it begins
  private volatile Thread receiver;

  private TunnelEnd(Line line, Listener listener) {
    this.line = line;
    this.listener = listener;
  }

  /**
   * Begins to listen and to send.
   *
   * @throws IOException when there are no threads to be had; the listener is told as well
   */
  public static TunnelEnd open(String name, Line line, Listener listener, Spawner spawner)
      throws IOException {
    TunnelEnd end = new TunnelEnd(line, listener);
    try {
      end.sender = spawner.thread(name + "-out", () -> end.run(end::send));
      end.receiver = spawner.thread(name + "-in", () -> end.run(end::receive));
      end.interruptIfClosed(); // the first may have closed it before there was the second
      return end;
    } catch (IOException e) {
      end.close("this end cannot start its threads");
      throw e;
    }
  }

  private void run(Call<Void> what) {
    try {
      what.make();
    } catch (Line.Closed e) {
      close(e.getMessage());
    } catch (IOException | RuntimeException e) {
      close(e.getMessage() == null ? e.toString() : e.getMessage());
    } catch (InterruptedException e) {
      close("it was closed at this end");
    } finally {
      if (running.decrementAndGet() == 0) {
        close("");
      }
    }
  }

  /** Waits while too much is unsent. Without effect when the tunnel is no more. */
  public void send(byte[] bytes, int length) throws InterruptedException {
    for (int from = 0; from < length; from += Chunk.LONGEST) {
      put(Chunk.of(Arrays.copyOfRange(bytes, from, Math.min(length, from + Chunk.LONGEST))));
    }
  }

  /** All that is to be read there. */
  public void sendAll(InputStream in) throws IOException, InterruptedException {
    byte[] buffer = new byte[Chunk.LONGEST];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      send(buffer, length);
    }
  }

  /** All that it says, until its end; where that fails, why is the last that this end says. */
  public void sendAll(LocalEnd local) throws InterruptedException {
    try {
      local.sendTo(this);
    } catch (IOException e) {
      send(Chunk.End.because(e.toString()));
    }
  }

  /** The terminal at this end has another size. */
  public void send(Chunk.Window window) throws InterruptedException {
    put(Chunk.of(window));
  }

  /** This end says nothing more. */
  public void send(Chunk.End end) throws InterruptedException {
    put(Chunk.of(end));
  }

  private void put(Chunk chunk) throws InterruptedException {
    while (sender.isAlive() && !toSend.offer(chunk, PAUSE_MS, TimeUnit.MILLISECONDS)) {
      // it is full, or over
    }
  }

  /** Waits until it is no more. */
  public void await() throws InterruptedException {
    sender.join();
    receiver.join();
  }

  /** Waits until the other end has said its last, or the tunnel is no more. */
  public void awaitOther() throws InterruptedException {
    receiver.join();
  }

  /** At once, whatever is unsent. */
  @Override
  public void close() {
    close("it was closed at this end");
  }

  private void close(String because) {
    if (why.compareAndSet(null, because)) {
      listener.closed(because);
      interruptIfClosed();
    }
  }

  private void interruptIfClosed() {
    for (Thread thread : new Thread[] {sender, receiver}) {
      if (thread != null && why.get() != null) {
        thread.interrupt();
      }
    }
  }

  private Void send() throws IOException, Line.Closed, InterruptedException {
    Chunk chunk;
    long number = 0;
    try {
      do {
        chunk = toSend.poll(THERE_MS, TimeUnit.MILLISECONDS);
        if (why.get() != null) {
          return null; // nothing is said of what the closing itself ends, such as a shell
        }
        chunk = (chunk == null ? Chunk.nothing() : chunk).numbered(++number);
        Chunk next = chunk;
        while (!insist(() -> line.put(next))) {
          // the other end has not read enough yet
        }
      } while (chunk.end() == null);
    } catch (Line.Closed e) {
      if (!listener.hearsTheRest()) {
        throw e;
      } // else the receiver comes to it, after the rest
    }
    return null;
  }

  private Void receive() throws IOException, Line.Closed, InterruptedException {
    long known = 0;
    Chunk chunk = null;
    while (chunk == null || chunk.end() == null) {
      long before = known;
      chunk = insist(() -> line.take(before));
      if (chunk != null) {
        known = chunk.number();
        hear(chunk);
      }
    }
    return null;
  }

  private void hear(Chunk chunk) throws IOException, InterruptedException {
    if (chunk.window() != null && chunk.window().makesSense()) {
      listener.window(chunk.window());
    }
    if (chunk.data().hasRemaining()) {
      listener.data(chunk.bytes());
    }
    if (chunk.end() != null) {
      listener.ended(chunk.end());
    }
  }

  private static <T> T insist(Call<T> call) throws IOException, Line.Closed, InterruptedException {
    Long deadline = null; // a call that is held for long has been listened to
    while (true) {
      try {
        return call.make();
      } catch (IOException e) {
        if (deadline == null) {
          deadline = AwakeClock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        } else if (AwakeClock.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(PAUSE_MS);
      }
    }
  }
}
