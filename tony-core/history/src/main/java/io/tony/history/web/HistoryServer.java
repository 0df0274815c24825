package io.tony.history.web;

import io.tony.container.ViewRule;
import io.tony.history.ExpiredLogCleanup;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import io.tony.process.Spawner;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.security.authorize.AccessControlList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP server of the job history, with the filters that {@code hadoop.http.filter.initializers}
 * names, such as Hadoop's Kerberos filter. Also updates the index and deletes expired event logs
 * periodically.
 */
public final class HistoryServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryServer.class);

  /**
   * Name of this web application. Hadoop requires a folder {@code webapps/NAME} on the class path.
   */
  private static final String NAME = "tony-history";

  private static final int WARMUP_ROUNDS = 2;
  private static final int WARMUP_TIMEOUT_MS = 5_000;

  private static final String WARMUP_REQUEST =
      "GET /jobs.json?text=- HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private final HistoryIndex index;
  private final HistoryMetrics metrics;
  private final HistoryApi history;
  private final HttpServer2 server;
  private final Duration refresh;
  private final Optional<ExpiredLogCleanup> expiredLogs;
  private final List<ScheduledFuture<?>> scheduledTasks = new ArrayList<>();

  /**
   * Two threads, so that a deletion of logs, which waits for YARN, does not delay updates of the
   * index.
   */
  private final ScheduledExecutorService scheduler =
      Spawner.SYSTEM.newScheduler("history-update", 2);

  /**
   * Creates a server that does not listen yet.
   *
   * @param at the address to listen on; port 0 selects a free port
   * @param refresh pause between two updates of the index, and between two deletions
   * @param expiredLogs deletes expired logs; empty to delete none
   */
  public HistoryServer(
      Configuration conf,
      FileSystem fs,
      HistoryIndex index,
      InetSocketAddress at,
      Duration refresh,
      Optional<ExpiredLogCleanup> expiredLogs)
      throws IOException {
    this.index = index;
    this.refresh = refresh;
    this.expiredLogs = expiredLogs;
    ViewRule rule = new ViewRule(conf);
    server =
        new HttpServer2.Builder()
            .setName(NAME)
            .setConf(restricted(conf))
            .setACL(administrators(rule))
            .addEndpoint(URI.create("http://" + at.getHostString() + ":" + at.getPort()))
            .setFindPort(false)
            .build();
    JobVisibility visitors = new JobVisibility(rule);
    history = HistoryApi.of(conf, fs, index, visitors);
    server.setAttribute(HistoryServlet.HISTORY, history);
    server.addServlet("history", "/*", HistoryServlet.class);
    metrics = new HistoryMetrics(index);
    server.setAttribute(
        MetricsServlet.METRICS, new MetricsServlet.MetricsSource(metrics, visitors));
    server.addServlet("metrics", "/metrics", MetricsServlet.class);
    server.setAttribute(TargetsServlet.TARGETS, TargetsServlet.TargetsSource.of(conf, history));
    server.addServlet("targets", "/metrics/jobs", TargetsServlet.class);
  }

  /**
   * Returns YARN's administrators; an empty list if they are all users, which is YARN's default and
   * means that no administrators were configured.
   */
  private static AccessControlList administrators(ViewRule rule) {
    AccessControlList named = rule.administrators();
    return named.isAllAllowed() ? new AccessControlList(" ") : named;
  }

  /**
   * Returns a copy of {@code conf} that restricts Hadoop's own pages, such as /conf and /jmx, to
   * YARN's administrators.
   */
  private static Configuration restricted(Configuration conf) {
    Configuration guarded = new Configuration(conf);
    guarded.setBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, true);
    guarded.setBoolean(
        CommonConfigurationKeys.HADOOP_SECURITY_INSTRUMENTATION_REQUIRES_ADMIN, true);
    return guarded;
  }

  /**
   * Starts to listen, and then to read the event logs in the background. Returns before they were
   * read.
   */
  public void start() throws IOException {
    for (int i = 0; i < WARMUP_ROUNDS; i++) {
      history.jobs(JobFilter.ALL.ofStep("-", "-", "-").withText("-"), 0, 1);
      history.jobs(JobFilter.ALL.withText("-"), 0, 1);
    }
    server.start();
    for (int i = 0; i < WARMUP_ROUNDS; i++) {
      warmUp();
    }
    schedule(this::update);
    expiredLogs.ifPresent(logs -> schedule(logs::deleteExpired));
  }

  private void schedule(Runnable task) {
    Runnable guardedTask =
        () -> {
          try {
            task.run();
          } catch (Throwable e) { // an exception would cancel all later runs of the task
            LOG.error("A look at the history fails", e);
          }
        };
    scheduledTasks.add(
        scheduler.scheduleWithFixedDelay(
            guardedTask, 0, refresh.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Requests a list of jobs from this server, so that class loading and compilation do not delay
   * the first visitor. If visitors must log in, the request does not get as far as the list;
   * therefore {@link #start} has also created lists directly.
   */
  private void warmUp() {
    InetSocketAddress own = address();
    try (Socket socket = new Socket(own.getHostString(), own.getPort())) {
      socket.setSoTimeout(WARMUP_TIMEOUT_MS);
      socket.getOutputStream().write(WARMUP_REQUEST.getBytes(StandardCharsets.ISO_8859_1));
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      LOG.info("The first visitor may wait longer than others: {}", e.toString());
    }
  }

  private void update() {
    try {
      long begin = System.nanoTime();
      HistoryIndex.Update update = index.update();
      Duration took = Duration.ofNanos(System.nanoTime() - begin);
      metrics.recordUpdate(update, Instant.now(), took);
      if (update.readCount() > 0 || update.removedCount() > 0) {
        LOG.info(
            "{} jobs; {} logs were read and {} are gone, in {} ms",
            update.jobCount(),
            update.readCount(),
            update.removedCount(),
            took.toMillis());
      }
    } catch (IOException | RuntimeException e) {
      metrics.recordUpdateFailure();
      LOG.warn("The history cannot be read now, and is shown as it was: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the address on which the server listens. */
  public InetSocketAddress address() {
    return server.getConnectorAddress(0);
  }

  @Override
  public void close() throws IOException {
    scheduledTasks.forEach(task -> task.cancel(true));
    scheduler.shutdownNow();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException("the history does not stop", e);
    }
  }
}
