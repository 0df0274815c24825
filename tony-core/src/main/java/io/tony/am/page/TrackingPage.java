package io.tony.am.page;

import io.tony.am.machine.PagePort;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TrackingUrl;
import io.tony.model.PortRange;
import io.tony.process.Spawner;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where YARN's link to the application leads: to the job's page, or on to the TensorBoard. */
public final class TrackingPage implements PagePort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrackingPage.class);

  /** What YARN itself notes for an application without a page: its link leads to YARN's own. */
  public static final String NONE = "N/A";

  private final Consumer<String> link;
  private final Optional<TensorBoardPage> tensorBoard;
  private volatile JobPage job; // null until it is served
  private String shown = ""; // the TensorBoard that listens; empty for none

  /**
   * Leads to the job's page as soon as there is one: it is made meanwhile, and nobody waits for it.
   *
   * @param host of this ApplicationMaster, by the name that others know
   * @param name of the job
   * @param key what a caller must know; nothing where YARN's proxy alone calls
   * @param link is told where it leads from now on
   */
  public TrackingPage(
      Configuration conf,
      TonyConfig config,
      String host,
      String name,
      String application,
      Events events,
      Optional<String> key,
      Consumer<String> link) {
    this.link = link;
    PortRange ports = config.find(AmOptions.PORT_RANGE).orElse(PortRange.ANY);
    tensorBoard =
        config.get(JobOptions.TRACKING_URL) == TrackingUrl.TENSORBOARD
            ? unlessItFails(
                "the page that leads to TensorBoard", () -> TensorBoardPage.serve(host, ports))
            : Optional.empty();
    Configuration own = new YarnConfiguration(conf); // others write into theirs meanwhile
    Optional<PortRange> pagePorts = mustBeHttps(conf) ? Optional.empty() : pagePorts(config);
    pagePorts.ifPresent(
        free ->
            begin(
                () -> {
                  About about =
                      key.isPresent()
                          ? About.here(config, name, application)
                          : About.of(own, config, name, application);
                  Viewers viewers =
                      key.isPresent()
                          ? new KeyHolders(key.get())
                          : new ProxiedViewers(own, config, about);
                  return JobPage.serve(viewers, host, free, about, events);
                }));
  }

  private void begin(Start<JobPage> start) {
    String what = "the job's page";
    Runnable begins =
        () -> {
          unlessItFails(what, start).ifPresent(page -> job = page);
          lead();
        };
    if (unlessItFails(what, () -> Spawner.SYSTEM.thread("page-start", begins)).isEmpty()) {
      lead();
    }
  }

  private static boolean mustBeHttps(Configuration conf) {
    boolean strict =
        conf.get(YarnConfiguration.RM_APPLICATION_HTTPS_POLICY, "").equalsIgnoreCase("STRICT");
    if (strict) {
      LOG.warn(
          "YARN's link leads to YARN's own page: {} is STRICT, and the job's page has no HTTPS",
          YarnConfiguration.RM_APPLICATION_HTTPS_POLICY);
    }
    return strict;
  }

  /** Of the ports that a site counts out to ApplicationMasters, the page takes none from jobs. */
  private static Optional<PortRange> pagePorts(TonyConfig config) {
    return config
        .find(AmOptions.PAGE_PORT_RANGE)
        .or(
            () ->
                config.find(AmOptions.PORT_RANGE).isPresent()
                    ? Optional.empty()
                    : Optional.of(PortRange.ANY));
  }

  @FunctionalInterface
  private interface Start<T> {
    T serve() throws IOException;
  }

  /** A link is no reason to train nothing. */
  private static <T> Optional<T> unlessItFails(String what, Start<T> start) {
    try {
      return Optional.of(start.serve());
    } catch (IOException | RuntimeException e) {
      LOG.warn("YARN's link does without {}: {}", what, e.toString());
      return Optional.empty();
    }
  }

  /** {@code url} is empty where none runs. */
  @Override
  public synchronized void showTensorBoard(String url) {
    shown = url;
    if (tensorBoard.isPresent()) {
      if (!url.isEmpty()) {
        tensorBoard.get().leadTo(url);
      }
      lead();
    }
  }

  private synchronized void lead() {
    JobPage page = job;
    if (tensorBoard.isPresent() && !shown.isEmpty()) {
      link.accept(tensorBoard.get().url());
    } else {
      link.accept(page == null ? NONE : page.url());
    }
  }

  /** Whether some who look at the job's page wait for an answer. */
  public boolean awaited() {
    JobPage page = job;
    return page != null && page.awaited();
  }

  @Override
  public void close() {
    tensorBoard.ifPresent(TensorBoardPage::close);
    JobPage page = job;
    if (page != null) {
      page.close();
    }
  }
}
