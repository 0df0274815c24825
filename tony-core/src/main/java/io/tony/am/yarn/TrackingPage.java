package io.tony.am.yarn;

import io.tony.am.machine.PagePort;
import io.tony.config.TonyConfig;
import io.tony.config.declared.AmOptions;
import io.tony.config.declared.JobOptions;
import io.tony.config.declared.TrackingUrl;
import io.tony.model.NoFreePort;
import io.tony.model.PortRange;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where YARN's link to the application leads: to YARN's own page, or on to the TensorBoard. */
public final class TrackingPage implements PagePort, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrackingPage.class);

  /** What YARN itself notes for an application without a page: its link leads to YARN's own. */
  static final String NONE = "N/A";

  private final YarnContainers yarn;
  private final Optional<TensorBoardPage> tensorBoard;

  /**
   * Leads to YARN's own page.
   *
   * @param host of this ApplicationMaster, by the name that others know
   */
  public TrackingPage(TonyConfig config, String host, YarnContainers yarn) throws IOException {
    this.yarn = yarn;
    this.tensorBoard =
        config.get(JobOptions.TRACKING_URL) == TrackingUrl.TENSORBOARD
            ? serve(host, config.find(AmOptions.PORT_RANGE).orElse(PortRange.ANY))
            : Optional.empty();
  }

  /** A link is no reason to train nothing. */
  private static Optional<TensorBoardPage> serve(String host, PortRange ports) throws IOException {
    try {
      return Optional.of(TensorBoardPage.serve(host, ports));
    } catch (NoFreePort e) {
      LOG.warn("YARN's link leads to YARN's own page, not to TensorBoard: {}", e.getMessage());
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
      yarn.leadTo(url.isEmpty() ? NONE : tensorBoard.get().url());
    }
  }

  @Override
  public void close() {
    tensorBoard.ifPresent(TensorBoardPage::close);
  }
}
