package io.tony.am.machine;

import io.tony.event.TaskFact;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Records the outputs of programs for later steps of the Azkaban flow, up to a limit per job. */
final class JobOutputs {
  /**
   * Maximum number of characters in the keys and values of all outputs of a job, over all starts of
   * the gang.
   */
  static final int MAX_CHARS = 1024 * 1024;

  private JobOutputs() {}

  /**
   * Returns the fact that the task has succeeded, with the outputs of its program. Leaves these
   * outputs out if the job's outputs would exceed {@link #MAX_CHARS} with them.
   */
  static TaskFact.Succeeded succeeded(JobState state, Task task, Event.Exit exit) {
    if (state.gang().outputChars() + size(exit.outputs()) <= MAX_CHARS) {
      return new TaskFact.Succeeded(task.id(), exit.outputs(), exit.omittedOutputs());
    }
    Map<String, String> kept = new HashMap<>(exit.outputs());
    // Keep the parameters that a preprocessing program passes to the job's other programs, because
    // these programs need them. All other outputs are for the Azkaban flow.
    kept.keySet().retainAll(Set.of(JobState.MODEL_PARAMS));
    return new TaskFact.Succeeded(
        task.id(),
        kept,
        "all outputs are left out: those of all tasks of a job may have at most "
            + MAX_CHARS
            + " characters together. Let one task write what the flow needs into TONY_OUTPUT_FILE");
  }

  static int size(Map<String, String> outputs) {
    int size = 0;
    for (Map.Entry<String, String> output : outputs.entrySet()) {
      size += output.getKey().length() + output.getValue().length();
    }
    return size;
  }
}
