package io.tony.mini;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ha.HAServiceProtocol.RequestSource;
import org.apache.hadoop.ha.HAServiceProtocol.StateChangeRequestInfo;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.http.lib.StaticUserWebFilter;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.security.http.RMAuthenticationFilterInitializer;

/**
 * The ResourceManager of a cluster, or two of which one is active. Two share the store from which
 * applications are recovered. Not thread-safe.
 */
final class ResourceManagers {
  private static final StateChangeRequestInfo MANUAL =
      new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER);

  private final List<Configuration> settings;
  private final List<ResourceManager> daemons = new ArrayList<>();
  private int active;

  /**
   * Creates ResourceManagers that do not run yet.
   *
   * @param conf the configuration. If there is only one ResourceManager, that ResourceManager
   *     writes its actual ports into this object when it starts
   */
  ResourceManagers(Configuration conf, ClusterFolder folder) {
    settings =
        HighAvailability.isEnabled(conf) ? HighAvailability.resourceManagers(conf) : List.of(conf);
    for (int i = 0; i < settings.size(); i++) {
      Configuration own = settings.get(i);
      own.set(
          HttpServer2.FILTER_INITIALIZER_PROPERTY,
          // The ResourceManager adds the first of these filters itself only if the list consists of
          // the second one alone. This list also contains DaemonPages, so the first one is added
          // here.
          DaemonPages.with(
              RMAuthenticationFilterInitializer.class.getName(),
              StaticUserWebFilter.class.getName()));
      own.set(HttpServer2.HTTP_TEMP_DIR_KEY, folder.pagesOf("resourcemanager-" + i).toString());
    }
  }

  void start() throws IOException {
    for (Configuration own : settings) {
      daemons.add(new ResourceManager());
      start(daemons.size() - 1, own);
    }
    makeActive(0);
  }

  private void start(int index, Configuration own) {
    daemons.get(index).init(own);
    daemons.get(index).start();
  }

  /** Makes a ResourceManager active. If there is only one, it is already active after its start. */
  private void makeActive(int index) throws IOException {
    if (daemons.size() > 1) {
      daemons.get(index).getRMContext().getRMAdminService().transitionToActive(MANUAL);
    }
    active = index;
  }

  /** Stops the active ResourceManager and starts a new one on the same ports. */
  void restart() throws IOException {
    daemons.get(active).stop();
    daemons.set(active, new ResourceManager());
    start(active, settings.get(active));
    makeActive(active);
  }

  /**
   * Puts the active one of two ResourceManagers on standby and makes the other one active.
   *
   * @throws IllegalStateException if there is only one ResourceManager
   */
  void failOver() throws IOException {
    if (daemons.size() == 1) {
      throw new IllegalStateException("there is one ResourceManager: start with --ha true");
    }
    active().getRMAdminService().transitionToStandby(MANUAL);
    makeActive(1 - active);
  }

  /** Returns the context of the active ResourceManager, with its applications and nodes. */
  RMContext active() {
    return daemons.get(active).getRMContext();
  }

  /** Returns the address of the active ResourceManager's web pages. */
  String http() {
    return "http://" + settings.get(active).get(YarnConfiguration.RM_WEBAPP_ADDRESS);
  }

  void stop() {
    daemons.forEach(ResourceManager::stop);
  }
}
