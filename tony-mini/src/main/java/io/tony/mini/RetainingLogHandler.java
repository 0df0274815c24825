package io.tony.mini;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.application.ApplicationEvent;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.application.ApplicationEventType;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.loghandler.LogHandler;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.loghandler.event.LogHandlerAppFinishedEvent;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.loghandler.event.LogHandlerAppStartedEvent;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.loghandler.event.LogHandlerEvent;

/**
 * Keeps containers' logs, and their pages, for as long as the NodeManager runs, and deletes no
 * file. YARN's own handler does the same with timers of hours, but a NodeManager that stops then
 * waits 17 s in vain: 7 for each application to be done with its logs, and 10 for the timers.
 */
final class RetainingLogHandler implements LogHandler {

  private final Consumer<ApplicationEvent> applications;
  private final Set<ApplicationId> finished = new HashSet<>();
  private boolean released;

  /**
   * @param applications gives an event to the application that it names
   */
  RetainingLogHandler(Consumer<ApplicationEvent> applications) {
    this.applications = applications;
  }

  @Override
  public synchronized void handle(LogHandlerEvent event) {
    switch (event.getType()) {
      case APPLICATION_STARTED -> {
        ApplicationId started = ((LogHandlerAppStartedEvent) event).getApplicationId();
        applications.accept(
            new ApplicationEvent(started, ApplicationEventType.APPLICATION_LOG_HANDLING_INITED));
      }
      case APPLICATION_FINISHED -> {
        finished.add(((LogHandlerAppFinishedEvent) event).getApplicationId());
        if (released) {
          releaseFinished();
        }
      }
      case CONTAINER_FINISHED, LOG_AGG_TOKEN_UPDATE -> {
        // Only aggregation would have something to do.
      }
    }
  }

  /** From now on an application is forgotten when it finishes, so that the NodeManager can stop. */
  synchronized void release() {
    released = true;
    releaseFinished();
  }

  @Override
  public Set<ApplicationId> getInvalidTokenApps() {
    return Set.of();
  }

  private void releaseFinished() {
    for (ApplicationId id : finished) {
      applications.accept(
          new ApplicationEvent(id, ApplicationEventType.APPLICATION_LOG_HANDLING_FINISHED));
    }
    finished.clear();
  }
}
