package io.tony.am.machine;

import io.tony.model.JobEvent;
import java.util.List;

/**
 * What the machine makes of an event.
 *
 * @param state the state before, and after it all the facts
 * @param facts what has become of the job: recorded together, or not at all
 * @param actions what is to be done, in order, once the facts are recorded
 */
public record Decision(JobState state, List<JobEvent> facts, List<Action> actions) {
  public Decision {
    facts = List.copyOf(facts);
    actions = List.copyOf(actions);
  }
}
