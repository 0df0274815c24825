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
 * Keeps containers' logs and their pages for as long as the NodeManager runs, and deletes no file.
 * YARN's own handler could do this with timers of hours, but then a stopping NodeManager would wait
 * 17 s for nothing: 7 s for the applications' log handling, and 10 s for the timers.
 */
final class RetainingLogHandler implements LogHandler {

  private final Consumer<ApplicationEvent> applications;
  private final Set<ApplicationId> finished = new HashSet<>();
  private boolean released;

  /**
   * Creates a handler.
   *
   * @param applications delivers an event to its application
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
        // Relevant only for log aggregation.
      }
    }
  }

  /**
   * Releases all finished applications, and from now on each application when it finishes, so that
   * the NodeManager can stop.
   */
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
