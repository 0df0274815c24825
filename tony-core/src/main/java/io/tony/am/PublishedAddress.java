package io.tony.am;

import io.tony.am.machine.AddressPort;
import io.tony.container.Staging;
import io.tony.model.Endpoint;
import io.tony.process.Spawner;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes where this ApplicationMaster is to the staging folder, for executors of an earlier one. On
 * a thread of its own: a file system that does not answer holds up nobody else. One that fails is
 * tried again, for as long as this process lives and no later one has begun.
 */
final class PublishedAddress implements AddressPort {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedAddress.class);
  private static final long RETRY_DELAY_SECONDS = 5;

  private final Staging staging;
  private final int attempt;
  private final Endpoint address;
  private final Runnable onPublished;
  private final ExecutorService thread; // here before it is needed: then there may be none

  /**
   * Not published yet.
   *
   * @param attempt the number of this ApplicationMaster
   * @param onPublished is run when executors can know
   * @throws IOException when no thread can be had
   */
  PublishedAddress(Staging staging, int attempt, Endpoint address, Runnable onPublished)
      throws IOException {
    this.staging = staging;
    this.attempt = attempt;
    this.address = address;
    this.onPublished = onPublished;
    this.thread = Spawner.SYSTEM.newSingleThreadExecutor("publish-address");
  }

  @Override
  public void publish() {
    thread.execute(this::write);
    thread.shutdown();
  }

  private void write() {
    while (true) {
      try {
        if (staging.writeMaster(attempt, address)) {
          onPublished.run();
        } else {
          LOG.warn("A later ApplicationMaster has one, too: executors are to find that one");
        }
        return;
      } catch (IOException | RuntimeException e) {
        LOG.warn("Executors of an earlier ApplicationMaster do not find this one yet", e);
      }
      try {
        TimeUnit.SECONDS.sleep(RETRY_DELAY_SECONDS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
