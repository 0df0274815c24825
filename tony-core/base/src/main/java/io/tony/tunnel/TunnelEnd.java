package io.tony.tunnel;

import io.tony.clock.AwakeClock;
import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One end of a tunnel: sends chunks in order, and passes received chunks to a listener. Has a
 * thread for each direction; the threads end when both ends have sent a {@link Chunk.End}, or when
 * the tunnel is closed.
 */
public final class TunnelEnd implements AutoCloseable {
  /** How long, in milliseconds, an end waits for data to send before it sends a keep-alive. */
  private static final long KEEP_ALIVE_MS = 15_000;

  /**
   * How long, in milliseconds, a call to the ApplicationMaster is retried: a connection may break
   * while the ApplicationMaster is alive.
   */
  private static final long MAX_RETRY_MS = 5_000;

  private static final long RETRY_PAUSE_MS = 200;
  private static final int MAX_QUEUED_CHUNKS = 2;

  /** Receives the chunks of the other end. Its methods are called on a thread of the tunnel. */
  public interface Listener {
    void onData(byte[] data) throws IOException, InterruptedException;

    /** Called when the other end has sent the size of its terminal. */
    void onWindow(Chunk.Window window) throws IOException;

    /**
     * Returns true if data that the other end has already sent should still be received after the
     * ApplicationMaster has closed the tunnel.
     */
    default boolean readsAfterClose() {
      return false;
    }

    /** Called after the last received data. This end may still send data. */
    void onEnd(Chunk.End end) throws IOException;

    /**
     * Called once when the tunnel is closed, on any thread, possibly during another call to this
     * listener.
     *
     * @param why the reason; empty if both ends have sent a {@link Chunk.End}
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
  private volatile @Nullable Thread sender; // null before the thread's start
  private volatile @Nullable Thread receiver;

  private TunnelEnd(TunnelLink link, Listener listener) {
    this.link = link;
    this.listener = listener;
  }

  /**
   * Opens this end of a tunnel and starts its threads.
   *
   * @throws IOException if the operating system refuses a thread; {@link Listener#onClosed} has
   *     then been called
   */
  public static TunnelEnd open(String name, TunnelLink link, Listener listener, Spawner spawner)
      throws IOException {
    TunnelEnd end = new TunnelEnd(link, listener);
    try {
      end.sender = spawner.startThread(name + "-out", () -> end.run(end::send));
      end.receiver = spawner.startThread(name + "-in", () -> end.run(end::receive));
      // If the sender closed the tunnel before the field receiver was set, it could not interrupt
      // the receiver: interrupt it now.
      end.interruptIfClosed();
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
   * Queues the first {@code length} bytes for sending. Blocks while the queue is full. Does nothing
   * if the tunnel is closed.
   */
  public void send(byte[] bytes, int length) throws InterruptedException {
    for (int from = 0; from < length; from += Chunk.MAX_BYTES) {
      put(Chunk.of(Arrays.copyOfRange(bytes, from, Math.min(length, from + Chunk.MAX_BYTES))));
    }
  }

  /**
   * Queues all data of the stream for sending, until the stream's end. Does not send a {@link
   * Chunk.End}.
   */
  public void sendAll(InputStream in) throws IOException, InterruptedException {
    byte[] buffer = new byte[Chunk.MAX_BYTES];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      send(buffer, length);
    }
  }

  /**
   * Queues all data of {@code local} and its {@link Chunk.End} for sending. If {@code local} fails,
   * queues a {@link Chunk.End} with the error instead.
   */
  public void sendAll(LocalEnd local) throws InterruptedException {
    try {
      local.sendTo(this);
    } catch (IOException e) {
      send(Chunk.End.withProblem(e.toString()));
    }
  }

  /** Queues the new size of this end's terminal for sending. */
  public void send(Chunk.Window window) throws InterruptedException {
    put(Chunk.of(window));
  }

  /** Queues the end of this end's data for sending; nothing may be sent afterwards. */
  public void send(Chunk.End end) throws InterruptedException {
    put(Chunk.of(end));
  }

  private void put(Chunk chunk) throws InterruptedException {
    Thread started = Objects.requireNonNull(sender);
    while (started.isAlive() && !toSend.offer(chunk, RETRY_PAUSE_MS, TimeUnit.MILLISECONDS)) {
      // retry while the queue is full and the sender runs
    }
  }

  /** Waits until the tunnel is closed at this end. */
  public void await() throws InterruptedException {
    Objects.requireNonNull(sender).join();
    awaitPeerEnd();
  }

  /** Waits until the other end has sent a {@link Chunk.End}, or the tunnel is closed. */
  public void awaitPeerEnd() throws InterruptedException {
    Objects.requireNonNull(receiver).join();
  }

  /** Closes the tunnel at once; data that is still queued is lost. */
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
          return null; // do not send what results from the close, such as the end of a shell
        }
        chunk = (chunk == null ? Chunk.keepAlive() : chunk).withNumber(++number);
        Chunk next = chunk;
        while (!retry(() -> link.put(next))) {
          // The ApplicationMaster has no room for the chunk until the other end has read: send it
          // again.
        }
      } while (chunk.end() == null);
    } catch (TunnelLink.TunnelClosedException e) {
      // A listener that reads after the close still gets the remaining data; the receiver notices
      // the close afterwards.
      if (!listener.readsAfterClose()) {
        throw e;
      }
    }
    return null;
  }

  private Void receive()
      throws IOException, TunnelLink.TunnelClosedException, InterruptedException {
    long lastNumber = 0;
    boolean ended = false;
    while (!ended) {
      long requested = lastNumber;
      Optional<Chunk> taken = retry(() -> Optional.ofNullable(link.take(requested)));
      if (taken.isPresent()) {
        Chunk chunk = taken.get();
        lastNumber = chunk.number();
        dispatch(chunk);
        ended = chunk.end() != null;
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
    // Set at the first failure instead of now, because the first call itself may take long.
    Long deadline = null;
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
