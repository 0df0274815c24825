package io.tony.client.submit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.tony.process.ScarceSystem;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;

public class CleanupTest {
  @Rule public final Timeout limit = Timeout.seconds(60);

  @Test
  public void shouldKeepNobodyFromTheJobWhereTheFileSystemDoesNotAnswer() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    Cleanup cleanup =
        Cleanup.start(
            () -> {
              try {
                answer.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });

    assertFalse(cleanup.awaitEnd(Duration.ofMillis(20)));
    answer.countDown();
    assertTrue(cleanup.awaitEnd(Duration.ofSeconds(30)));
  }

  @Test
  public void shouldDeleteAsTheUserOfTheJob() throws Exception {
    CompletableFuture<String> user = new CompletableFuture<>();
    PrivilegedExceptionAction<Cleanup> begin =
        () ->
            Cleanup.start(
                () -> {
                  try {
                    user.complete(UserGroupInformation.getCurrentUser().getShortUserName());
                  } catch (IOException e) {
                    user.completeExceptionally(e);
                  }
                });

    UserGroupInformation.createRemoteUser("alice").doAs(begin);

    assertEquals("alice", user.get());
  }

  @Test
  public void shouldLeaveItToTheNextJobWhereThereIsNoThread() throws Exception {
    Cleanup none = ScarceSystem.withoutTheNextThread(() -> Cleanup.start(() -> {}));

    assertTrue(none.awaitEnd(Duration.ZERO));
  }
}
