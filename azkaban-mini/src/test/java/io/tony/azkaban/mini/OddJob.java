package io.tony.azkaban.mini;

import azkaban.jobExecutor.Job;
import azkaban.utils.Props;
import java.util.concurrent.CountDownLatch;
import org.apache.log4j.Logger;

/**
 * A job type of a plugins folder: with {@code mode=crash} it fails as a job type with a missing
 * class does, with {@code mode=wait} it runs until it is cancelled and says that it is half done.
 */
public final class OddJob implements Job {

  private final String id;
  private final Props properties;
  private final Logger logger;
  private final CountDownLatch cancelled = new CountDownLatch(1);

  public OddJob(String id, Props system, Props properties, Logger logger) {
    this.id = id;
    this.properties = properties;
    this.logger = logger;
  }

  @Override
  public String getId() {
    return id;
  }

  @Override
  public void run() throws InterruptedException {
    logger.info("mode " + properties.get("mode"));
    if (properties.get("mode").equals("crash")) {
      throw new NoClassDefFoundError("org/example/Missing");
    }
    cancelled.await();
  }

  @Override
  public void cancel() {
    cancelled.countDown();
  }

  @Override
  public double getProgress() {
    return 0.5;
  }

  @Override
  public Props getJobGeneratedProperties() {
    return new Props();
  }

  @Override
  public boolean isCanceled() {
    return cancelled.getCount() == 0;
  }
}
