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
 * What a page asks for: some of one file of a container. It names the event that gave a task this
 * container, so that nobody has to look for it: where the container ran, the event alone says.
 *
 * @param event its number in the event log
 * @param from the offset from which on it is asked for; the last of the file where it is below 0
 */
public record LogRequest(String container, long event, ContainerLogFile file, long from) {
  private static final Pattern CONTAINER =
      Pattern.compile("container_(?:e\\d{1,9}_)?\\d{1,19}_\\d{1,10}_\\d{1,9}_\\d{1,18}");

  /**
   * By the parameters of a request, of which those that are missing are empty.
   *
   * @throws IllegalArgumentException for what makes no sense
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
   * The task with its container, where the event says that it has this one and the container is of
   * the application: whoever reads its files may be allowed to read others'.
   *
   * @param line of the event log
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
      return Optional.empty(); // a log is its owner's to write
    }
  }
}
