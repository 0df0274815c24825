package io.tony.am.machine;

import io.tony.event.TaskFact;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Records the outputs that programs write for later steps of their flow, up to a limit per job. */
final class JobOutputs {
  /** Maximum number of characters in keys and values, of all tasks and all starts of the gang. */
  static final int MAX_CHARS = 1024 * 1024;

  private JobOutputs() {}

  /**
   * Returns the task's success with its outputs, or without any output if they would exceed the
   * limit.
   */
  static TaskFact.Succeeded succeeded(JobState state, Task task, Event.Exit exit) {
    if (state.gang().outputChars() + size(exit.outputs()) <= MAX_CHARS) {
      return new TaskFact.Succeeded(task.id(), exit.outputs(), exit.omittedOutputs());
    }
    Map<String, String> kept = new HashMap<>(exit.outputs());
    // The parameters are for the job's other tasks, not for the flow.
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
