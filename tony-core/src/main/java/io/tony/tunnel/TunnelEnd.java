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
 * One end of a tunnel: sends data in order, and passes received data to a listener. Two threads do
 * this until both ends have sent their end, or the tunnel is closed.
 */
public final class TunnelEnd implements AutoCloseable {
  /** Interval in milliseconds at which an end without data sends an empty chunk. */
  private static final long KEEP_ALIVE_MS = 15_000;

  /**
   * How long, in milliseconds, a failing call is retried: a connection may break while the server
   * is alive.
   */
  private static final long MAX_RETRY_MS = 5_000;

  private static final long RETRY_PAUSE_MS = 200;
  private static final int MAX_QUEUED_CHUNKS = 2;

  /** Receives what the other end sends. Called on a thread of the tunnel. */
  public interface Listener {
    void onData(byte[] data) throws IOException, InterruptedException;

    /** Called when the terminal at the other end has this size. */
    void onWindow(Chunk.Window window) throws IOException;

    /** Returns true if data of the other end should be read even after the tunnel was closed. */
    default boolean readsAfterClose() {
      return false;
    }

    /** Called with the end of the received data. Data may still be sent to the other end. */
    void onEnd(Chunk.End end) throws IOException;

    /**
     * Called once when the tunnel is closed, on any thread; another thread may still be in a method
     * of this listener.
     *
     * @param why empty if both ends have sent their end, else the reason
     */
    void onClosed(String why);
  }

  private interface Call<T> {
    T make() throws IOException, TunnelLink.TunnelClosedException, InterruptedException;
  }

  private final TunnelLink link;
  private final Listener listener;
  private final BlockingQueue<Chunk> toSend = new ArrayBlockingQueue<>(MAX_QUEUED_CHUNKS);
  private final AtomicReference<String> closeReason = new AtomicReference<>();
  private final AtomicInteger runningThreads = new AtomicInteger(2);
  private volatile Thread sender; // null until its thread is started
  private volatile Thread receiver;

  private TunnelEnd(TunnelLink link, Listener listener) {
    this.link = link;
    this.listener = listener;
  }

  /**
   * Opens an end and starts its threads.
   *
   * @throws IOException if the system refuses a thread; {@link Listener#onClosed} is called as well
   */
  public static TunnelEnd open(String name, TunnelLink link, Listener listener, Spawner spawner)
      throws IOException {
    TunnelEnd end = new TunnelEnd(link, listener);
    try {
      end.sender = spawner.startThread(name + "-out", () -> end.run(end::send));
      end.receiver = spawner.startThread(name + "-in", () -> end.run(end::receive));
      end.interruptIfClosed(); // the sender may have closed the tunnel before the receiver existed
      return end;
    } catch (IOException e) {
      end.close("this end cannot start its threads");
      throw e;
    }
  }

  private void run(Call<Void> call) {
    try {
      call.make();
    } catch (TunnelLink.TunnelClosedException e) {
      close(e.getMessage());
    } catch (IOException | RuntimeException e) {
      close(e.getMessage() == null ? e.toString() : e.getMessage());
    } catch (InterruptedException e) {
      close("it was closed at this end");
    } finally {
      if (runningThreads.decrementAndGet() == 0) {
        close("");
      }
    }
  }

  /**
   * Sends the first {@code length} bytes. Blocks while too much data is unsent. Does nothing if the
   * tunnel is closed.
   */
  public void send(byte[] bytes, int length) throws InterruptedException {
    for (int from = 0; from < length; from += Chunk.MAX_BYTES) {
      put(Chunk.of(Arrays.copyOfRange(bytes, from, Math.min(length, from + Chunk.MAX_BYTES))));
    }
  }

  /** Sends all data of a stream until its end; does not send a {@link Chunk.End}. */
  public void sendAll(InputStream in) throws IOException, InterruptedException {
    byte[] buffer = new byte[Chunk.MAX_BYTES];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      send(buffer, length);
    }
  }

  /**
   * Sends everything that {@code local} produces, then its end. On failure, sends the reason as the
   * end.
   */
  public void sendAll(LocalEnd local) throws InterruptedException {
    try {
      local.sendTo(this);
    } catch (IOException e) {
      send(Chunk.End.withProblem(e.toString()));
    }
  }

  /** Sends the new size of the terminal at this end. */
  public void send(Chunk.Window window) throws InterruptedException {
    put(Chunk.of(window));
  }

  /** Sends the end of this end's data. */
  public void send(Chunk.End end) throws InterruptedException {
    put(Chunk.of(end));
  }

  private void put(Chunk chunk) throws InterruptedException {
    while (sender.isAlive() && !toSend.offer(chunk, RETRY_PAUSE_MS, TimeUnit.MILLISECONDS)) {
      // retry while the queue is full and the tunnel is open
    }
  }

  /** Waits until the tunnel is closed. */
  public void await() throws InterruptedException {
    sender.join();
    receiver.join();
  }

  /** Waits until the other end has sent its end, or the tunnel is closed. */
  public void awaitPeerEnd() throws InterruptedException {
    receiver.join();
  }

  /** Closes the tunnel at once; unsent data is lost. */
  @Override
  public void close() {
    close("it was closed at this end");
  }

  private void close(String reason) {
    if (closeReason.compareAndSet(null, reason)) {
      listener.onClosed(reason);
      interruptIfClosed();
    }
  }

  private void interruptIfClosed() {
    for (Thread thread : new Thread[] {sender, receiver}) {
      if (thread != null && closeReason.get() != null) {
        thread.interrupt();
      }
    }
  }

  private Void send() throws IOException, TunnelLink.TunnelClosedException, InterruptedException {
    Chunk chunk;
    long number = 0;
    try {
      do {
        chunk = toSend.poll(KEEP_ALIVE_MS, TimeUnit.MILLISECONDS);
        if (closeReason.get() != null) {
          return null; // drop what the closing itself caused, such as the end of a shell
        }
        chunk = (chunk == null ? Chunk.keepAlive() : chunk).withNumber(++number);
        Chunk next = chunk;
        while (!retry(() -> link.put(next))) {
          // retry until the other end has read enough
        }
      } while (chunk.end() == null);
    } catch (TunnelLink.TunnelClosedException e) {
      if (!listener.readsAfterClose()) {
        throw e;
      } // otherwise the receiver notices the close, after the remaining data
    }
    return null;
  }

  private Void receive()
      throws IOException, TunnelLink.TunnelClosedException, InterruptedException {
    long lastNumber = 0;
    Chunk chunk = null;
    while (chunk == null || chunk.end() == null) {
      long requested = lastNumber;
      chunk = retry(() -> link.take(requested));
      if (chunk != null) {
        lastNumber = chunk.number();
        dispatch(chunk);
      }
    }
    return null;
  }

  private void dispatch(Chunk chunk) throws IOException, InterruptedException {
    if (chunk.window() != null && chunk.window().isValid()) {
      listener.onWindow(chunk.window());
    }
    if (chunk.data().hasRemaining()) {
      listener.onData(chunk.bytes());
    }
    if (chunk.end() != null) {
      listener.onEnd(chunk.end());
    }
  }

  private static <T> T retry(Call<T> call)
      throws IOException, TunnelLink.TunnelClosedException, InterruptedException {
    Long deadline = null; // set at the first failure: the failing call may have been held for long
    while (true) {
      try {
        return call.make();
      } catch (IOException e) {
        if (deadline == null) {
          deadline = AwakeClock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_RETRY_MS);
        } else if (AwakeClock.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(RETRY_PAUSE_MS);
      }
    }
  }
}
