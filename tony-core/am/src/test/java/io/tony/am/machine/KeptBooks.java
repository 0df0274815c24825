package io.tony.am.machine;

import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;

/**
 * By the log: a set of checkpoints is whole with its last task, once, and a start chooses once. Of
 * many sets that are not whole the oldest are forgotten.
 */
final class KeptBooks {
  private final TreeMap<String, Set<TaskId>> parts = new TreeMap<>();
  private final Set<Integer> chosen = new HashSet<>();
  private String whole = "";

  /** The last with which old sets could go; null before the first. */
  private JobEvent dropping;

  void note(JobEvent fact) {
    if (fact.type() == JobEvent.Type.TASK_CHECKPOINT) {
      kept(fact);
    } else if (fact.type() == JobEvent.Type.GANG_RESUMES && fact.task() == null) {
      require(chosen.add(fact.session()), "chosen twice for one start: " + fact);
      String from = fact.detail("from");
      whole = from.compareTo(whole) > 0 ? from : whole;
    }
  }

  /** Whether a set is whole with this fact, or the oldest that is not whole is forgotten. */
  boolean letOldOnesGo(JobEvent fact) {
    return fact.equals(dropping);
  }

  private void kept(JobEvent fact) {
    String set = fact.detail("set");
    Set<TaskId> tasks = parts.computeIfAbsent(set, name -> new HashSet<>());
    require(tasks.add(fact.task()), "kept twice: " + fact);
    require(set.compareTo(whole) > 0, "older than one that is whole: " + fact);
    boolean last = tasks.size() == Integer.parseInt(fact.detail("tasks"));
    require(fact.detail("whole").equals(Boolean.toString(last)), "whole or not: " + fact);
    if (last) {
      whole = set;
      parts.headMap(set, true).clear();
      dropping = fact;
    } else if (parts.size() > CheckpointPort.MAX_PARTIAL_SETS) {
      parts.pollFirstEntry();
      dropping = fact;
    }
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new AssertionError(message);
    }
  }
}
