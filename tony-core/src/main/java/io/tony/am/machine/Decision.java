package io.tony.am.machine;

import io.tony.model.JobEvent;
import java.util.List;

/**
 * The response of the {@link JobMachine} to one event.
 *
 * @param state the state after all the facts
 * @param facts what has changed in the job; written to the event log together or not at all
 * @param actions the side effects, in order; performed after the facts are recorded
 */
public record Decision(JobState state, List<JobEvent> facts, List<Action> actions) {
  public Decision {
    facts = List.copyOf(facts);
    actions = List.copyOf(actions);
  }
}
