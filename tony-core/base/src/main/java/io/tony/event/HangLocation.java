package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;

/**
 * The place in its code at which the program of one task was executing when the gang was ended
 * because it hung.
 *
 * @param location {@code function (file:line)}; empty if the place could not be determined
 */
public record HangLocation(TaskId task, String location) implements Fact {
  public HangLocation {
    Objects.requireNonNull(location, "location");
  }

  @Override
  public JobEvent.Type type() {
    return JobEvent.Type.TASK_STANDS;
  }

  @Override
  public Details details() {
    return Details.empty().with("where", location);
  }

  public static HangLocation of(JobEvent event) {
    Details details = Details.of(event);
    return new HangLocation(details.task(), details.text("where"));
  }
}
