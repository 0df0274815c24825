package io.tony.process;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class SpawnerTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  private static Spawner withoutTheFirst() {
    return new Spawner(ScarceKernel.withoutThreads(1, 1));
  }

  private static void assertSaysWhatToDo(Throwable refusal) {
    String message = refusal.getMessage();
    assertTrue(message, message.startsWith("no thread can be had for reader: "));
    assertTrue(message, message.contains("pids.max"));
  }

  @Test
  public void shouldRefuseATaskForWhichThereIsNoThreadAndRunTheNext() throws Exception {
    ExecutorService pool = withoutTheFirst().newThreadPool("reader", 2);

    assertSaysWhatToDo(
        assertThrows(RejectedExecutionException.class, () -> pool.execute(() -> {})));

    assertEquals("read", pool.submit(() -> "read").get());
    pool.shutdownNow();
  }

  @Test
  public void shouldHaveTheThreadsOfASchedulerBeforeItsTasks() {
    assertSaysWhatToDo(
        assertThrows(IOException.class, () -> withoutTheFirst().newScheduler("reader", 1)));
    assertSaysWhatToDo(
        assertThrows(IOException.class, () -> withoutTheFirst().newSingleThreadExecutor("reader")));
  }

  /** Nobody asks a task that has its times what became of it. */
  @Test
  public void shouldLoseNoErrorOfATaskThatHasItsTimes() throws Exception {
    CompletableFuture<Throwable> seen = new CompletableFuture<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> seen.complete(e));
    try {
      Error error = new OutOfMemoryError("unable to create native thread");
      ScheduledExecutorService scheduler = Spawner.SYSTEM.newScheduler("times", 1);
      ScheduledFuture<?> unused =
          scheduler.scheduleWithFixedDelay(
              () -> {
                throw error;
              },
              1,
              1,
              TimeUnit.MILLISECONDS);

      assertSame(error, seen.get());
      scheduler.shutdownNow();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }
}
