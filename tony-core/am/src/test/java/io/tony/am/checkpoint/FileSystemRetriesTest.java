package io.tony.am.checkpoint;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.tony.process.ScarceSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.Test;

/** How long and how often a file system is asked. */
public class FileSystemRetriesTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(1);

  private static final UserGroupInformation ADA = UserGroupInformation.createRemoteUser("ada");

  private final AtomicInteger asked = new AtomicInteger();

  private static FileSystemRetries patience(Duration limit, Duration pause) {
    return new FileSystemRetries(ADA, limit, pause);
  }

  /** The limit begins when the question has: a thread may be slow to start. */
  private static ExecutorService startingAskers(CountDownLatch begun) {
    return new ThreadPoolExecutor(0, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>()) {
      @Override
      public void execute(Runnable task) {
        super.execute(task);
        try {
          begun.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    };
  }

  @Test
  public void shouldAskAgainUntilThereIsAnAnswer() throws IOException {
    assertEquals(
        "the third",
        patience(LONG, SHORT)
            .call(
                () -> {
                  if (asked.incrementAndGet() < 3) {
                    throw new FileNotFoundException("not yet");
                  }
                  return "the third";
                }));
    assertEquals(3, asked.get());
  }

  @Test
  public void shouldGiveTheLastFailureWhenTheTimeIsUp() {
    IOException failure =
        assertThrows(
            IOException.class,
            () ->
                patience(LONG, LONG)
                    .call(
                        () -> {
                          throw new IOException("failure " + asked.incrementAndGet());
                        }));

    assertEquals("failure 1", failure.getMessage());
  }

  @Test
  public void shouldNotAskAgainWhatWouldSayTheSame() {
    for (IOException refused :
        new IOException[] {
          new AccessControlException("it is another's"), new UnsupportedFileSystemException("gs")
        }) {
      assertThrows(
          refused.getClass(),
          () ->
              patience(LONG, SHORT)
                  .call(
                      () -> {
                        asked.incrementAndGet();
                        throw refused;
                      }));
    }
    assertEquals(2, asked.get());
  }

  @Test
  public void shouldLeaveAQuestionThatIsNotAnswered() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch left = new CountDownLatch(1);
    FileSystemRetries patience =
        new FileSystemRetries(ADA, Duration.ofMillis(50), SHORT, startingAskers(begun));
    IOException failure =
        assertThrows(
            IOException.class,
            () ->
                patience.call(
                    () -> {
                      begun.countDown();
                      try {
                        never.await();
                      } catch (InterruptedException e) {
                        left.countDown();
                      }
                      return null;
                    }));

    assertEquals("no answer within 0 s", failure.getMessage());
    assertTrue("its thread is told", left.await(1, TimeUnit.MINUTES));
  }

  @Test
  public void shouldNotTakeADefectForAFailure() {
    assertThrows(
        IllegalArgumentException.class,
        () ->
            patience(LONG, SHORT)
                .call(
                    () -> {
                      throw new IllegalArgumentException("no path");
                    }));
  }

  @Test
  public void shouldAskAsTheGivenUser() throws IOException {
    assertEquals(
        "ada",
        patience(LONG, SHORT).call(() -> UserGroupInformation.getCurrentUser().getShortUserName()));
  }

  @Test
  public void shouldAskAgainWhereThereIsNoThreadForAMoment() throws Exception {
    assertEquals(
        "there",
        ScarceSystem.withoutTheNextThread(() -> patience(LONG, SHORT).call(() -> "there")));
  }

  @Test
  public void shouldSayThatThereWasNoThread() {
    IOException none =
        assertThrows(
            IOException.class,
            () ->
                ScarceSystem.withoutTheNextThread(() -> patience(SHORT, LONG).call(() -> "there")));

    assertTrue(none.toString(), none.getMessage().startsWith("no thread can be had for "));
  }
}
