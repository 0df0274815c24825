package io.tony.client.inspect;

import io.tony.client.application.ExitCode;
import io.tony.client.application.MasterConnection;
import io.tony.client.application.RunningApplication;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.model.TaskId;
import io.tony.protocol.proto.TonyProtos.TaskStacks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/**
 * Shows which code the user's programs execute in a running application, for {@code tony stacks}.
 */
public final class RunningStacks {
  private static final String UNKNOWN = "not known";
  private static final int MAX_NAMES = 10;

  private final RunningApplication application;
  private final JobLog out;

  public RunningStacks(ApplicationView view, JobLog out) {
    this.application = view.application();
    this.out = out;
  }

  /**
   * Prints the stacks of one task's threads or, for all tasks, only the location of each in the
   * code, grouped by location. Locations with the fewest tasks come first, because the other tasks
   * may be waiting for these tasks.
   *
   * @param task name of the task; null for all tasks
   */
  public ExitCode print(@Nullable String task)
      throws InvalidJobException, IOException, YarnException {
    Optional<TaskId> one = task == null ? Optional.empty() : Optional.of(parseTask(task));
    List<TaskStacks> stacks = stacks(one);
    if (stacks.isEmpty()) {
      throw new InvalidJobException(
          List.of(
              one.map(id -> "no task " + id + " of " + application.id() + " has registered")
                  .orElse("no task of " + application.id() + " has registered yet")));
    }
    if (one.isPresent()) {
      printOne(stacks.get(0));
    } else {
      printAll(stacks);
    }
    return ExitCode.SUCCEEDED;
  }

  /**
   * Parses the name of a task, such as {@code worker:0}.
   *
   * @throws InvalidJobException if the text is not a task's name
   */
  public static TaskId parseTask(String task) throws InvalidJobException {
    try {
      return TaskId.parse(task);
    } catch (IllegalArgumentException e) {
      throw new InvalidJobException(
          List.of("'" + task + "' is not a task: it looks like worker:0"));
    }
  }

  private List<TaskStacks> stacks(Optional<TaskId> task)
      throws InvalidJobException, IOException, YarnException {
    try (MasterConnection master = application.connect()) {
      return master.stacks(task);
    }
  }

  private void printAll(List<TaskStacks> stacks) {
    Map<String, List<String>> places = new TreeMap<>();
    List<TaskStacks> sorted = new ArrayList<>(stacks);
    sorted.sort(Comparator.comparing(TaskStacks::getRole).thenComparingInt(TaskStacks::getIndex));
    for (TaskStacks task : sorted) {
      places.computeIfAbsent(place(task), place -> new ArrayList<>()).add(name(task));
    }
    List<Map.Entry<String, List<String>>> rarest = new ArrayList<>(places.entrySet());
    rarest.sort(Map.Entry.comparingByValue((a, b) -> Integer.compare(a.size(), b.size())));
    for (Map.Entry<String, List<String>> place : rarest) {
      List<String> names = place.getValue();
      int others = Math.max(0, names.size() - MAX_NAMES);
      out.println(
          place.getKey()
              + ": "
              + String.join(", ", names.subList(0, names.size() - others))
              + (others == 0 ? "" : " and " + others + " more"));
    }
  }

  private static String name(TaskStacks task) {
    return task.getRole() + ":" + task.getIndex();
  }

  private static String place(TaskStacks task) {
    if (!task.hasReport()) {
      return UNKNOWN + ", its executor has not answered in time";
    } else if (!task.getReport().getPlace().isEmpty()) {
      return task.getReport().getPlace();
    }
    return UNKNOWN + ", " + task.getReport().getProblem();
  }

  private void printOne(TaskStacks task) {
    out.println(name(task) + " is at: " + place(task));
    if (task.hasReport()) {
      task.getReport().getText().lines().forEach(out::println);
      if (!task.getReport().getPlace().isEmpty() && !task.getReport().getProblem().isEmpty()) {
        out.println(task.getReport().getProblem());
      }
    }
  }
}
