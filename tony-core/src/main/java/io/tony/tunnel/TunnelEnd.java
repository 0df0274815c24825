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
  private static final long KEEP_ALIVE_MS = 15_000;

  /**
   * How long a call is made again from its first failure: a connection may break, and its server
   * live.
   */
  private static final long MAX_RETRY_MS = 5_000;

  private static final long RETRY_PAUSE_MS = 200;
  private static final int MAX_QUEUED_CHUNKS = 2;

  /** What the other end says, on a thread of the tunnel. */
  public interface Listener {
    void onData(byte[] data) throws IOException, InterruptedException;

    /** The terminal at the other end has this size now. */
    void onWindow(Chunk.Window window) throws IOException;

    /** Whether what the other end has said is of use when the tunnel is closed meanwhile. */
    default boolean readsAfterClose() {
      return false;
    }

    /** The last that it says. What is said to it may go on. */
    void onEnd(Chunk.End end) throws IOException;

    /**
     * Once: the tunnel is no more. {@code why} is empty when both ends have said their last. On any
     * thread, while another one may still be in a method of this.
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
  private volatile Thread sender; // null until it begins
  private volatile Thread receiver;

  private TunnelEnd(TunnelLink link, Listener listener) {
    this.link = link;
    this.listener = listener;
  }

  /**
   * Begins to listen and to send.
   *
   * @throws IOException when there are no threads to be had; the listener is told as well
   */
  public static TunnelEnd open(String name, TunnelLink link, Listener listener, Spawner spawner)
      throws IOException {
    TunnelEnd end = new TunnelEnd(link, listener);
    try {
      end.sender = spawner.startThread(name + "-out", () -> end.run(end::send));
      end.receiver = spawner.startThread(name + "-in", () -> end.run(end::receive));
      end.interruptIfClosed(); // the first may have closed it before there was the second
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

  /** Waits while too much is unsent. Without effect when the tunnel is no more. */
  public void send(byte[] bytes, int length) throws InterruptedException {
    for (int from = 0; from < length; from += Chunk.MAX_BYTES) {
      put(Chunk.of(Arrays.copyOfRange(bytes, from, Math.min(length, from + Chunk.MAX_BYTES))));
    }
  }

  /** All that is to be read there. */
  public void sendAll(InputStream in) throws IOException, InterruptedException {
    byte[] buffer = new byte[Chunk.MAX_BYTES];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      send(buffer, length);
    }
  }

  /** All that it says, until its end; where that fails, why is the last that this end says. */
  public void sendAll(LocalEnd local) throws InterruptedException {
    try {
      local.sendTo(this);
    } catch (IOException e) {
      send(Chunk.End.withProblem(e.toString()));
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
    while (sender.isAlive() && !toSend.offer(chunk, RETRY_PAUSE_MS, TimeUnit.MILLISECONDS)) {
      // it is full, or over
    }
  }

  /** Waits until it is no more. */
  public void await() throws InterruptedException {
    sender.join();
    receiver.join();
  }

  /** Waits until the other end has said its last, or the tunnel is no more. */
  public void awaitPeerEnd() throws InterruptedException {
    receiver.join();
  }

  /** At once, whatever is unsent. */
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
          return null; // nothing is said of what the closing itself ends, such as a shell
        }
        chunk = (chunk == null ? Chunk.keepAlive() : chunk).withNumber(++number);
        Chunk next = chunk;
        while (!retry(() -> link.put(next))) {
          // the other end has not read enough yet
        }
      } while (chunk.end() == null);
    } catch (TunnelLink.TunnelClosedException e) {
      if (!listener.readsAfterClose()) {
        throw e;
      } // else the receiver comes to it, after the rest
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
    Long deadline = null; // a call that is held for long has been listened to
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
