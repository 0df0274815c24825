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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Target of YARN's link to the application: the job's page or, while one runs, the job's
 * TensorBoard.
 */
public final class TrackingPage implements PagePort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrackingPage.class);

  /** Tracking URL of an application without a page: YARN's link then leads to YARN's own page. */
  public static final String NONE = "N/A";

  private final Consumer<String> linkListener;
  private final Optional<TensorBoardPage> tensorBoard;
  private volatile @Nullable JobPage jobPage; // null until the page is served
  private String tensorBoardUrl = ""; // URL of the running TensorBoard; empty if there is none

  /**
   * Starts serving the job's page on another thread and does not wait for it. Once the page is
   * served, the link leads there.
   *
   * @param host name under which other hosts know this ApplicationMaster's host
   * @param name name of the job
   * @param key secret key that requests must contain; empty if only YARN's proxy has access
   * @param linkListener gets each new target URL of the link
   */
  public TrackingPage(
      Configuration conf,
      TonyConfig config,
      String host,
      String name,
      String application,
      EventSource events,
      Optional<String> key,
      Consumer<String> linkListener) {
    this.linkListener = linkListener;
    PortRange ports = config.find(AmOptions.PORT_RANGE).orElse(PortRange.ANY);
    tensorBoard =
        config.get(JobOptions.TRACKING_URL) == TrackingUrl.TENSORBOARD
            ? tryStart(
                "the page that leads to TensorBoard", () -> TensorBoardPage.serve(host, ports))
            : Optional.empty();
    // Copied because other threads modify the original.
    Configuration ownConf = new YarnConfiguration(conf);
    Optional<PortRange> pagePorts = mustBeHttps(conf) ? Optional.empty() : pagePorts(config);
    pagePorts.ifPresent(
        range ->
            startJobPage(
                () -> {
                  JobInfo jobInfo =
                      key.isPresent()
                          ? JobInfo.ofLocalJob(config, name, application)
                          : JobInfo.of(ownConf, config, name, application);
                  Viewers viewers =
                      key.isPresent()
                          ? new KeyedViewers(key.get())
                          : new ProxiedViewers(ownConf, config, jobInfo);
                  return JobPage.serve(viewers, host, range, jobInfo, events);
                }));
  }

  private void startJobPage(PageStarter<JobPage> start) {
    String pageName = "the job's page";
    Runnable task =
        () -> {
          tryStart(pageName, start).ifPresent(page -> jobPage = page);
          updateLink();
        };
    if (tryStart(pageName, () -> Spawner.SYSTEM.startThread("page-start", task)).isEmpty()) {
      updateLink();
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

  /**
   * Returns the port range for the page; empty if only {@code tony.am.port-range} is set, because
   * the page must not take one of the ports in that range, which other jobs need.
   */
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
  private interface PageStarter<T> {
    T serve() throws IOException;
  }

  /** Starts a page. A failure is only logged, because the job can run without the page. */
  private static <T> Optional<T> tryStart(String pageName, PageStarter<T> start) {
    try {
      return Optional.of(start.serve());
    } catch (IOException | RuntimeException e) {
      LOG.warn("YARN's link does without {}: {}", pageName, e.toString());
      return Optional.empty();
    }
  }

  /**
   * Makes YARN's link lead to the TensorBoard at this URL; to the job's page again if {@code url}
   * is empty.
   */
  @Override
  public synchronized void showTensorBoard(String url) {
    tensorBoardUrl = url;
    if (tensorBoard.isPresent()) {
      if (!url.isEmpty()) {
        tensorBoard.get().redirectTo(url);
      }
      updateLink();
    }
  }

  private synchronized void updateLink() {
    JobPage page = jobPage;
    if (tensorBoard.isPresent() && !tensorBoardUrl.isEmpty()) {
      linkListener.accept(tensorBoard.get().url());
    } else {
      linkListener.accept(page == null ? NONE : page.url());
    }
  }

  /** Returns true if a request for events on the job's page waits for an answer. */
  public boolean hasWaitingViewers() {
    JobPage page = jobPage;
    return page != null && page.hasWaitingViewers();
  }

  @Override
  public void close() {
    tensorBoard.ifPresent(TensorBoardPage::close);
    JobPage page = jobPage;
    if (page != null) {
      page.close();
    }
  }
}
