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
 * Writes this ApplicationMaster's address to the staging folder, where executors that an earlier
 * ApplicationMaster started look for it. Writes on its own thread, so that an unresponsive file
 * system delays nothing else. Retries after failures until this process ends or a later
 * ApplicationMaster has written its own address.
 */
final class PublishedAddress implements AddressPort {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedAddress.class);
  private static final long RETRY_DELAY_SECONDS = 5;

  private final Staging staging;
  private final int attempt;
  private final Endpoint address;
  private final Runnable onPublished;
  // Its thread is started in the constructor, because no new thread may be available later.
  private final ExecutorService thread;

  /**
   * Starts the writing thread; the address is not written yet.
   *
   * @param attempt number of this ApplicationMaster attempt
   * @param address host and port on which this ApplicationMaster serves executors
   * @param onPublished runs on the writing thread once the address is written
   * @throws IOException if no thread can be created
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
        if (staging.tryPublishAddress(attempt, address)) {
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
