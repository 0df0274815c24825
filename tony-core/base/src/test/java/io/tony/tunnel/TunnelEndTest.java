package io.tony.tunnel;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.process.Spawner;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.After;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

/** The two ends of a tunnel, without an ApplicationMaster between them. */
public class TunnelEndTest {
  private static final int FAILS_EACH = 7;

  @Rule public final Timeout limit = Timeout.seconds(60);

  /** One direction, which has room for two; each seventh call of it fails after it was done. */
  private static final class Way {
    private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(2);
    private Chunk taken;
    private long putLast;
    private int calls;
    private volatile boolean broken;
    private volatile long heldMs;
    private volatile String closed;
    private volatile String closedToPut;

    boolean put(Chunk chunk)
        throws IOException, TunnelLink.TunnelClosedException, InterruptedException {
      check();
      if (closedToPut != null) {
        throw new TunnelLink.TunnelClosedException(closedToPut);
      }
      if (chunk.number() > putLast) {
        assertEquals(putLast + 1, chunk.number());
        if (!chunks.offer(chunk, 10, TimeUnit.MILLISECONDS)) {
          return false;
        }
        putLast = chunk.number();
      }
      failSometimes();
      return true;
    }

    Chunk take(long known)
        throws IOException, TunnelLink.TunnelClosedException, InterruptedException {
      check();
      if (heldMs > 0) {
        Thread.sleep(heldMs);
        heldMs = 0;
        throw new IOException("the connection breaks");
      }
      if (taken == null || taken.number() <= known) {
        taken = chunks.poll(10, TimeUnit.MILLISECONDS);
      }
      failSometimes();
      return taken;
    }

    private void check() throws IOException, TunnelLink.TunnelClosedException {
      if (closed != null) {
        throw new TunnelLink.TunnelClosedException(closed);
      }
      if (broken) {
        throw new IOException("connection reset");
      }
    }

    private synchronized void failSometimes() throws IOException {
      if (++calls % FAILS_EACH == 0) {
        throw new IOException("its answer is lost");
      }
    }
  }

  private static TunnelLink line(Way out, Way in) {
    return new TunnelLink() {
      @Override
      public boolean put(Chunk chunk)
          throws IOException, TunnelClosedException, InterruptedException {
        return out.put(chunk);
      }

      @Override
      public Chunk take(long known)
          throws IOException, TunnelClosedException, InterruptedException {
        return in.take(known);
      }
    };
  }

  /** Keeps what it hears. */
  private static final class Heard implements TunnelEnd.Listener {
    private final boolean hearsTheRest;
    final ByteArrayOutputStream data = new ByteArrayOutputStream();
    final CompletableFuture<Chunk.Window> window = new CompletableFuture<>();
    final CompletableFuture<Chunk.End> end = new CompletableFuture<>();
    final CompletableFuture<String> closed = new CompletableFuture<>();
    final AtomicInteger timesClosed = new AtomicInteger();
    final CountDownLatch blocks = new CountDownLatch(1);
    volatile boolean isBlocked;
    volatile IOException fails;
    volatile Runnable whenClosed = () -> {};

    Heard(boolean hearsTheRest) {
      this.hearsTheRest = hearsTheRest;
    }

    @Override
    public boolean readsAfterClose() {
      return hearsTheRest;
    }

    @Override
    public void onData(byte[] bytes) throws IOException, InterruptedException {
      if (isBlocked) {
        blocks.await();
      }
      if (fails != null) {
        throw fails;
      }
      data.writeBytes(bytes);
    }

    @Override
    public void onWindow(Chunk.Window size) {
      window.complete(size);
    }

    @Override
    public void onEnd(Chunk.End how) {
      end.complete(how);
    }

    @Override
    public void onClosed(String why) {
      timesClosed.incrementAndGet();
      whenClosed.run();
      closed.complete(why);
    }
  }

  private final Way there = new Way();
  private final Way back = new Way();
  private final Heard atClient = new Heard(true);
  private final Heard atTask = new Heard(false);
  private final TunnelEnd client =
      TunnelEnd.open("client", line(there, back), atClient, Spawner.SYSTEM);
  private final TunnelEnd task = TunnelEnd.open("task", line(back, there), atTask, Spawner.SYSTEM);

  /** Where there are no threads to be had. */
  public TunnelEndTest() throws IOException {}

  @After
  public void close() throws InterruptedException {
    for (TunnelEnd end : List.of(client, task)) {
      end.close();
      end.await();
    }
    assertEquals("it is told once", 1, atClient.timesClosed.get());
    assertEquals("it is told once", 1, atTask.timesClosed.get());
  }

  @Test
  public void shouldHandOnAllInItsOrderThoughAnswersAreLost() throws Exception {
    byte[] bytes = new byte[1_000_000];
    new Random(1).nextBytes(bytes);

    client.sendAll(new ByteArrayInputStream(bytes));
    client.send(new Chunk.Window(33, 111));
    client.send(Chunk.End.PLAIN);
    task.send(new byte[] {1, 2, 3}, 2);
    task.send(new Chunk.End(7, ""));

    assertEquals(Chunk.End.PLAIN, atTask.end.get());
    assertArrayEquals(bytes, atTask.data.toByteArray());
    assertEquals(new Chunk.Window(33, 111), atTask.window.get());
    assertEquals(new Chunk.End(7, ""), atClient.end.get());
    assertArrayEquals(new byte[] {1, 2}, atClient.data.toByteArray());
    assertEquals("", atClient.closed.get());
    assertEquals("", atTask.closed.get());
  }

  @Test
  public void shouldNotTakeASizeThatNoTerminalHas() throws Exception {
    client.send(new Chunk.Window(0, 80));
    client.send(new Chunk.Window(24, 1_000_000));
    client.send(new Chunk.Window(25, 81));

    assertEquals(new Chunk.Window(25, 81), atTask.window.get());
  }

  @Test
  public void shouldGoOnInOneDirectionWhenTheOtherHasEnded() throws Exception {
    client.send(Chunk.End.PLAIN);
    atTask.end.get();

    task.send(new byte[] {1}, 1);
    task.send(Chunk.End.PLAIN);

    atClient.end.get();
    assertArrayEquals(new byte[] {1}, atClient.data.toByteArray());
  }

  @Test
  public void shouldEndWhenTheMasterHasClosedIt() throws Exception {
    back.closed = "the container has ended";

    assertEquals("the container has ended", atClient.closed.get());
    client.await();
    client.send(new byte[100], 100); // to nobody, and without waiting
  }

  @Test
  public void shouldGiveUpAfterAWhile() throws Exception {
    long before = System.nanoTime();
    there.broken = true;
    client.send(new byte[1], 1);

    assertEquals("connection reset", atClient.closed.get());
    assertTrue(System.nanoTime() - before > TimeUnit.SECONDS.toNanos(4));
  }

  /** It has waited for longer than a call is made again: it has been listened to. */
  @Test
  public void shouldMakeACallAgainThatWasHeldBeforeItFailed() throws Exception {
    there.heldMs = 5_500;
    client.send(new byte[] {1}, 1);
    client.send(Chunk.End.PLAIN);

    assertEquals(Chunk.End.PLAIN, atTask.end.get());
    assertArrayEquals(new byte[] {1}, atTask.data.toByteArray());
  }

  /** The last words of a shell are there, and somebody still types. */
  @Test
  public void shouldHearWhatWasSaidBeforeTheTunnelWasClosed() throws Exception {
    there.closedToPut = "the container has ended";
    client.send(new byte[] {1}, 1);
    task.send(new byte[] {2}, 1);
    task.send(new Chunk.End(7, ""));

    assertEquals(new Chunk.End(7, ""), atClient.end.get());
    assertArrayEquals(new byte[] {2}, atClient.data.toByteArray());
  }

  /** A shell that reads nothing of what was typed is to end with its client all the same. */
  @Test
  public void shouldEndWhenItIsClosedThoughItsListenerIsBusy() throws Exception {
    atTask.isBlocked = true;
    client.send(new byte[1], 1);

    back.closed = "its client has closed it";
    task.send(new byte[1], 1);

    assertEquals("its client has closed it", atTask.closed.get());
  }

  /** A shell that is killed because its tunnel is closed has not ended by itself. */
  @Test
  public void shouldNotSayAnEndThatComesOfItsBeingClosed() throws Exception {
    atTask.whenClosed =
        () -> {
          try {
            task.send(new Chunk.End(137, ""));
            Thread.sleep(500); // the sender has the time to send it
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };

    task.close();
    back.closed = "the container has ended";
    there.closed = back.closed;

    assertEquals("the container has ended", atClient.closed.get());
    assertFalse(atClient.end.isDone());
  }

  @Test
  public void shouldEndWhenItsListenerFails() throws Exception {
    atTask.fails = new IOException("the disk is full");
    client.send(new byte[1], 1);

    assertEquals("the disk is full", atTask.closed.get());
  }

  @Test
  public void shouldEndAtOnceWhenItIsClosed() throws Exception {
    byte[] more = new byte[10 * Chunk.MAX_BYTES];
    CompletableFuture<Void> sent =
        CompletableFuture.runAsync(
            () -> {
              try {
                while (!atClient.closed.isDone()) {
                  client.send(more, more.length);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });

    client.close();

    assertEquals("it was closed at this end", atClient.closed.get());
    client.await();
    try {
      sent.get();
    } catch (ExecutionException e) {
      throw new AssertionError("who sends is not let down", e);
    }
  }
}
