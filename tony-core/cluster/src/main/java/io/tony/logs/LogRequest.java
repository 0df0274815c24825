package io.tony.logs;

import io.tony.event.TaskFact;
import io.tony.eventlog.EventJson;
import io.tony.model.JobEvent;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * A web page's request for a piece of one log file of a container. The request names the event that
 * recorded the allocation of the container, so that the event log need not be searched. Where the
 * container ran is taken from this event only, not from the request.
 *
 * @param event number of this event in the event log, from 0
 * @param from offset in bytes; negative for the last piece of the file
 */
public record LogRequest(String container, long event, ContainerLogFile file, long from) {
  private static final Pattern CONTAINER =
      Pattern.compile("container_(?:e\\d{1,9}_)?\\d{1,19}_\\d{1,10}_\\d{1,9}_\\d{1,18}");

  /**
   * Parses the parameters of an HTTP request; {@code parameters} returns the value for a name, an
   * empty text if it is missing.
   *
   * @throws IllegalArgumentException if a parameter is invalid
   */
  public static LogRequest of(UnaryOperator<String> parameters) {
    String container = parameters.apply("container");
    if (!CONTAINER.matcher(container).matches()) {
      throw new IllegalArgumentException("container is the id of one, not '" + container + "'");
    }
    String from = parameters.apply("from");
    return new LogRequest(
        container,
        number("event", parameters.apply("event"), "\\d{1,18}"),
        ContainerLogFile.named(parameters.apply("file")),
        from.isEmpty() ? -1 : number("from", from, "-?\\d{1,18}"));
  }

  private static long number(String name, String text, String form) {
    if (!text.matches(form)) {
      throw new IllegalArgumentException(name + " is a number, not '" + text + "'");
    }
    return Long.parseLong(text);
  }

  /**
   * Returns the fact in {@code line} if it is the allocation of the requested container, and if
   * that container belongs to {@code application}. The second condition protects other users' logs,
   * which the process that reads the log files may be permitted to read.
   *
   * @param line a line of the event log
   */
  public Optional<TaskFact.Allocated> allocation(String line, String application) {
    try {
      JobEvent jobEvent = EventJson.read(line);
      if (jobEvent.type() != JobEvent.Type.TASK_ALLOCATED) {
        return Optional.empty();
      }
      TaskFact.Allocated allocated = TaskFact.Allocated.of(jobEvent);
      return allocated.container().equals(container)
              && ContainerId.fromString(container)
                  .getApplicationAttemptId()
                  .getApplicationId()
                  .equals(ApplicationId.fromString(application))
          ? Optional.of(allocated)
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      // Ignore the error: the owner of an event log can write anything to it, so the line may not
      // be an event.
      return Optional.empty();
    }
  }
}
