package io.tony.azkaban;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public final class ClientProcessTest {

  @Test
  public void shouldStartNothingWhenCancelledWhileTheAttemptWasPrepared() throws Exception {
    ClientProcess client = new ClientProcess(new JobLog().logger());

    client.cancel(
        new ClientProcess.Application() {
          @Override
          public long stopLimitMillis() {
            throw new AssertionError("there is no application");
          }

          @Override
          public boolean isFinished(int exitCode) {
            throw new AssertionError("there is no application");
          }

          @Override
          public void kill() {
            throw new AssertionError("there is no application");
          }
        });

    assertNull(client.start(new ProcessBuilder("true")));
    assertTrue(client.isCancelled());
  }
}
