package io.tony.am.machine;

import io.tony.model.JobEvent;
import java.util.List;

/**
 * The response of the {@link JobMachine} to one event.
 *
 * @param state the job's state after all these facts
 * @param facts what has changed in the job; written to the event log together or not at all
 * @param actions the side effects, in order; {@link Action.PortAction}s are performed after the
 *     facts are recorded
 */
public record Decision(JobState state, List<JobEvent> facts, List<Action> actions) {
  public Decision {
    facts = List.copyOf(facts);
    actions = List.copyOf(actions);
  }
}
