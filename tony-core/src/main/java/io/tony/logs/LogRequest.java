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
 * A page's request for a piece of one log file of a container. It names the event that recorded the
 * allocation of the container, so that no search is needed. Only the event determines where the
 * container ran.
 *
 * @param event number of the event in the event log
 * @param from offset in bytes; negative for the last piece of the file
 */
public record LogRequest(String container, long event, ContainerLogFile file, long from) {
  private static final Pattern CONTAINER =
      Pattern.compile("container_(?:e\\d{1,9}_)?\\d{1,19}_\\d{1,10}_\\d{1,9}_\\d{1,18}");

  /**
   * Parses the parameters of an HTTP request; a missing parameter is an empty text.
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
   * Returns the allocation in {@code line} if it allocates this container and the container belongs
   * to {@code application}. The check is necessary because the reader of the files may have access
   * to those of other users, too.
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
      return Optional.empty(); // the owner can write anything to a log
    }
  }
}
