package io.tony.history.web;

import io.tony.history.HistoryIndex;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.http.HttpServer2;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the history, as Hadoop's daemons serve their pages: with the filters that {@code
 * hadoop.http.filter.initializers} names, such as Hadoop's for Kerberos. It looks for new jobs and
 * for what became of those that run, again and again.
 */
public final class HistoryServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryServer.class);

  /** Hadoop looks for the folder webapps/NAME on the class path. */
  private static final String NAME = "tony-history";

  private final HistoryIndex index;
  private final HistoryMetrics metrics;
  private final HttpServer2 server;
  private final Duration refresh;
  private ScheduledFuture<?> updating;
  private final ScheduledExecutorService updates =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "history-update"));

  /**
   * Makes a server that does not listen yet.
   *
   * @param at where it listens; port 0 for any that is free
   * @param refresh how long after one look at the folders the next begins
   */
  public HistoryServer(
      Configuration conf, FileSystem fs, HistoryIndex index, InetSocketAddress at, Duration refresh)
      throws IOException {
    this.index = index;
    this.refresh = refresh;
    server =
        new HttpServer2.Builder()
            .setName(NAME)
            .setConf(guarded(conf))
            .setACL(Visitors.administrators(conf))
            .addEndpoint(URI.create("http://" + at.getHostString() + ":" + at.getPort()))
            .setFindPort(false)
            .build();
    Visitors visitors = new Visitors(conf);
    Served served = Served.of(fs, index, visitors);
    server.setAttribute(HistoryServlet.HISTORY, served);
    server.addServlet("history", "/*", HistoryServlet.class);
    metrics = new HistoryMetrics(index);
    server.setAttribute(MetricsServlet.METRICS, new MetricsServlet.Source(metrics, visitors));
    server.addServlet("metrics", "/metrics", MetricsServlet.class);
    server.setAttribute(TargetsServlet.TARGETS, TargetsServlet.Source.of(conf, served));
    server.addServlet("targets", "/metrics/jobs", TargetsServlet.class);
  }

  /** Hadoop's own pages, such as /conf and /jmx, are for YARN's administrators alone. */
  private static Configuration guarded(Configuration conf) {
    Configuration guarded = new Configuration(conf);
    guarded.setBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, true);
    guarded.setBoolean(
        CommonConfigurationKeys.HADOOP_SECURITY_INSTRUMENTATION_REQUIRES_ADMIN, true);
    return guarded;
  }

  /** Listens, and reads what is there meanwhile. */
  public void start() throws IOException {
    server.start();
    updating =
        updates.scheduleWithFixedDelay(this::update, 0, refresh.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void update() {
    try {
      long begin = System.nanoTime();
      HistoryIndex.Update update = index.update();
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      metrics.updated(update, Instant.now(), took);
      if (update.read() > 0 || update.gone() > 0) {
        LOG.info(
            "{} jobs; {} logs were read and {} are gone, in {} ms",
            update.jobs(),
            update.read(),
            update.gone(),
            took.toMillis());
      }
    } catch (IOException | RuntimeException e) {
      metrics.updateFailed();
      LOG.warn("The history cannot be read now, and is shown as it was: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getConnectorAddress(0);
  }

  @Override
  public void close() throws IOException {
    if (updating != null) {
      updating.cancel(true);
    }
    updates.shutdownNow();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException("the history does not stop", e);
    }
  }
}
