package io.tony.am.yarn;

import io.tony.am.machine.PagePort;
import io.tony.am.page.About;
import io.tony.am.page.Events;
import io.tony.am.page.JobPage;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TrackingUrl;
import io.tony.model.NoFreePort;
import io.tony.model.PortRange;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where YARN's link to the application leads: to the job's page, or on to the TensorBoard. */
public final class TrackingPage implements PagePort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrackingPage.class);

  /** What YARN itself notes for an application without a page: its link leads to YARN's own. */
  static final String NONE = "N/A";

  private final YarnContainers yarn;
  private final Optional<JobPage> job;
  private final Optional<TensorBoardPage> tensorBoard;

  /**
   * Leads to the job's page.
   *
   * @param host of this ApplicationMaster, by the name that others know
   */
  public TrackingPage(
      Configuration conf,
      TonyConfig config,
      String host,
      About about,
      Events events,
      YarnContainers yarn) {
    this.yarn = yarn;
    PortRange ports = config.find(AmOptions.PORT_RANGE).orElse(PortRange.ANY);
    tensorBoard =
        config.get(JobOptions.TRACKING_URL) == TrackingUrl.TENSORBOARD
            ? unlessThereIsNoPort(
                "the page that leads to TensorBoard", () -> TensorBoardPage.serve(host, ports))
            : Optional.empty();
    Optional<PortRange> pagePorts = pagePorts(config);
    job =
        mustBeHttps(conf) || pagePorts.isEmpty()
            ? Optional.empty()
            : unlessThereIsNoPort(
                "the job's page",
                () -> JobPage.serve(conf, config, host, pagePorts.get(), about, events));
    job.ifPresent(page -> yarn.leadTo(page.url()));
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
  private static <T> Optional<T> unlessThereIsNoPort(String what, Start<T> start) {
    try {
      return Optional.of(start.serve());
    } catch (NoFreePort | IOException e) {
      LOG.warn("YARN's link does without {}: {}", what, e.getMessage());
      return Optional.empty();
    }
  }

  /** {@code url} is empty where none runs. */
  @Override
  public void showTensorBoard(String url) {
    if (tensorBoard.isPresent()) {
      if (!url.isEmpty()) {
        tensorBoard.get().leadTo(url);
      }
      yarn.leadTo(url.isEmpty() ? job.map(JobPage::url).orElse(NONE) : tensorBoard.get().url());
    }
  }

  /** Whether some who look at the job's page wait for an answer. */
  public boolean awaited() {
    return job.map(JobPage::awaited).orElse(false);
  }

  @Override
  public void close() {
    tensorBoard.ifPresent(TensorBoardPage::close);
    job.ifPresent(JobPage::close);
  }
}
