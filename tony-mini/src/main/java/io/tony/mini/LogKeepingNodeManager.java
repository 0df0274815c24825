package io.tony.mini;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.DeletionService;
import org.apache.hadoop.yarn.server.nodemanager.LocalDirsHandlerService;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.nodemanager.NodeStatusUpdater;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.ContainerManagerImpl;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.loghandler.LogHandler;
import org.apache.hadoop.yarn.server.security.ApplicationACLsManager;

/**
 * YARN's NodeManager, but with {@link RetainingLogHandler} as its handler of logs. If log
 * aggregation is enabled, YARN's own handler is used.
 */
final class LogKeepingNodeManager extends NodeManager {

  private Optional<RetainingLogHandler> logHandler = Optional.empty();

  @Override
  protected ContainerManagerImpl createContainerManager(
      Context context,
      ContainerExecutor executor,
      DeletionService deletion,
      NodeStatusUpdater statusUpdater,
      ApplicationACLsManager acls,
      LocalDirsHandlerService dirs) {
    return new ContainerManagerImpl(context, executor, deletion, statusUpdater, metrics, dirs) {
      @Override
      protected LogHandler createLogHandler(
          Configuration conf, Context nm, DeletionService service) {
        if (conf.getBoolean(YarnConfiguration.LOG_AGGREGATION_ENABLED, false)) {
          return super.createLogHandler(conf, nm, service);
        }
        // Sends events directly to the applications and not through the dispatcher, because access
        // to the dispatcher differs between versions of Hadoop.
        logHandler =
            Optional.of(new RetainingLogHandler(createApplicationEventDispatcher()::handle));
        return logHandler.get();
      }
    };
  }

  @Override
  protected void serviceStop() throws Exception {
    logHandler.ifPresent(RetainingLogHandler::release);
    super.serviceStop();
  }
}
