package io.tony.am.machine;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** By the log: a set of checkpoints is whole with its last task, once, and a start chooses once. */
final class KeptBooks {
  private final Map<String, Set<TaskId>> sets = new HashMap<>();
  private final Set<Integer> chosen = new HashSet<>();
  private String whole = "";

  void note(JobEvent fact) {
    if (fact.type() == JobEvent.Type.TASK_CHECKPOINT) {
      kept(fact);
    } else if (fact.type() == JobEvent.Type.GANG_RESUMES && fact.task() == null) {
      require(chosen.add(fact.session()), "chosen twice for one start: " + fact);
      String from = fact.detail("from");
      whole = from.compareTo(whole) > 0 ? from : whole;
    }
  }

  private void kept(JobEvent fact) {
    String set = fact.detail("set");
    Set<TaskId> tasks = sets.computeIfAbsent(set, name -> new HashSet<>());
    require(tasks.add(fact.task()), "kept twice: " + fact);
    require(set.compareTo(whole) > 0, "older than one that is whole: " + fact);
    boolean last = tasks.size() == Integer.parseInt(fact.detail("tasks"));
    require(fact.detail("whole").equals(Boolean.toString(last)), "whole or not: " + fact);
    whole = last ? set : whole;
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
