package io.tony.event;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;

/** YARN announced that it will preempt the task's container, which runs on {@code node}. */
public record PreemptionAnnounced(TaskId task, String node) implements Fact {
  @Override
  public JobEvent.Type type() {
    return JobEvent.Type.PREEMPTION_ANNOUNCED;
  }

  @Override
  public Details details() {
    return Details.empty().with("node", node);
  }

  public static PreemptionAnnounced of(JobEvent event) {
    Details details = Details.of(event);
    return new PreemptionAnnounced(details.task(), details.text("node"));
  }
}
