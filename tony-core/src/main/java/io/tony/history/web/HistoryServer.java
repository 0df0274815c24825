package io.tony.history.web;

import io.tony.container.ViewRule;
import io.tony.history.HistoryIndex;
import io.tony.history.JobFilter;
import io.tony.history.OldLogs;
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
 * Serves the history, as Hadoop's daemons serve their pages: with the filters that {@code
 * hadoop.http.filter.initializers} names, such as Hadoop's for Kerberos. It looks for new jobs and
 * for what became of those that run, again and again.
 */
public final class HistoryServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryServer.class);

  /** Hadoop looks for the folder webapps/NAME on the class path. */
  private static final String NAME = "tony-history";

  private static final int REHEARSALS = 2;
  private static final int REHEARSAL_LIMIT_MS = 5_000;

  private static final String REHEARSED =
      "GET /jobs.json?text=- HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private final HistoryIndex index;
  private final HistoryMetrics metrics;
  private final Served served;
  private final HttpServer2 server;
  private final Duration refresh;
  private final Optional<OldLogs> old;
  private final List<ScheduledFuture<?>> looks = new ArrayList<>();

  /** Two: YARN is asked before a log is deleted, and may be long in answering. */
  private final ScheduledExecutorService updates = Spawner.SYSTEM.scheduler("history-update", 2);

  /**
   * Makes a server that does not listen yet.
   *
   * @param at where it listens; port 0 for any that is free
   * @param refresh how long after one look at the folders the next begins
   * @param old what is deleted meanwhile, a look at a time
   */
  public HistoryServer(
      Configuration conf,
      FileSystem fs,
      HistoryIndex index,
      InetSocketAddress at,
      Duration refresh,
      Optional<OldLogs> old)
      throws IOException {
    this.index = index;
    this.refresh = refresh;
    this.old = old;
    ViewRule rule = new ViewRule(conf);
    server =
        new HttpServer2.Builder()
            .setName(NAME)
            .setConf(guarded(conf))
            .setACL(administrators(rule))
            .addEndpoint(URI.create("http://" + at.getHostString() + ":" + at.getPort()))
            .setFindPort(false)
            .build();
    Visitors visitors = new Visitors(rule);
    served = Served.of(conf, fs, index, visitors);
    server.setAttribute(HistoryServlet.HISTORY, served);
    server.addServlet("history", "/*", HistoryServlet.class);
    metrics = new HistoryMetrics(index);
    server.setAttribute(MetricsServlet.METRICS, new MetricsServlet.Source(metrics, visitors));
    server.addServlet("metrics", "/metrics", MetricsServlet.class);
    server.setAttribute(TargetsServlet.TARGETS, TargetsServlet.Source.of(conf, served));
    server.addServlet("targets", "/metrics/jobs", TargetsServlet.class);
  }

  /** Nobody where everybody is one: that is YARN's default, and means that nobody was named. */
  private static AccessControlList administrators(ViewRule rule) {
    AccessControlList named = rule.administrators();
    return named.isAllAllowed() ? new AccessControlList(" ") : named;
  }

  /** Hadoop's own pages, such as /conf and /jmx, are for YARN's administrators alone. */
  private static Configuration guarded(Configuration conf) {
    Configuration guarded = new Configuration(conf);
    guarded.setBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, true);
    guarded.setBoolean(
        CommonConfigurationKeys.HADOOP_SECURITY_INSTRUMENTATION_REQUIRES_ADMIN, true);
    return guarded;
  }

  /** Returns when it listens, and reads what is there from then on. */
  public void start() throws IOException {
    for (int i = 0; i < REHEARSALS; i++) {
      served.jobs(JobFilter.ALL.ofStep("-", "-", "-").withText("-"), 0, 1);
      served.jobs(JobFilter.ALL.withText("-"), 0, 1);
    }
    server.start();
    for (int i = 0; i < REHEARSALS; i++) {
      rehearse();
    }
    again(this::update);
    old.ifPresent(logs -> again(logs::look));
  }

  private void again(Runnable look) {
    Runnable next =
        () -> {
          try {
            look.run();
          } catch (Throwable e) { // no look after it would come
            LOG.error("A look at the history fails", e);
          }
        };
    looks.add(updates.scheduleWithFixedDelay(next, 0, refresh.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Asks itself for a list. Java is slow at what it does for the first time, and the first visitor
   * would wait for it. Where visitors must log in, the web server alone is asked: the list is
   * looked through before.
   */
  private void rehearse() {
    InetSocketAddress own = address();
    try (Socket socket = new Socket(own.getHostString(), own.getPort())) {
      socket.setSoTimeout(REHEARSAL_LIMIT_MS);
      socket.getOutputStream().write(REHEARSED.getBytes(StandardCharsets.ISO_8859_1));
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
    looks.forEach(look -> look.cancel(true));
    updates.shutdownNow();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException("the history does not stop", e);
    }
  }
}
