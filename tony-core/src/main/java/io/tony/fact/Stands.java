package io.tony.fact;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.Objects;

/**
 * Its gang hangs. {@code where} it stood before it was ended, as {@code function (file:line)};
 * empty where that could not be seen.
 */
public record Stands(TaskId task, String where) implements Fact {
  public Stands {
    Objects.requireNonNull(where, "where");
  }

  @Override
  public JobEvent.Type type() {
    return JobEvent.Type.TASK_STANDS;
  }

  @Override
  public Details details() {
    return Details.none().with("where", where);
  }

  public static Stands of(JobEvent event) {
    Details of = Details.of(event);
    return new Stands(of.task(), of.text("where"));
  }
}
