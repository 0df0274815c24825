package io.tony.client.inspect;

import io.tony.client.application.ExitCode;
import io.tony.client.application.LogLinks;
import io.tony.client.input.InvalidJobException;
import io.tony.client.output.JobLog;
import io.tony.event.ResizeFact;
import io.tony.event.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.jspecify.annotations.Nullable;

/** Prints logs and events of an application, for {@code tony logs} and {@code tony events}. */
public final class ApplicationLogs {
  private static final List<String> FILES = List.of("stdout", "stderr", "executor.log");

  private final ApplicationView view;
  private final JobLog out;

  public ApplicationLogs(ApplicationView view, JobLog out) {
    this.view = view;
    this.out = out;
  }

  /**
   * Prints the lines of the application's event log.
   *
   * @param follow whether to continue with new lines until the application ends
   */
  public ExitCode printEvents(boolean follow)
      throws IOException, YarnException, InvalidJobException, InterruptedException {
    String owner = view.owner();
    EventStream lines = new EventStream(view.tail(owner), (line, event) -> print(line));
    if (follow) {
      lines.follow(view::hasEnded, view.application()::pause);
    } else if (lines.read() == 0) {
      throw view.unknownApplication(owner);
    }
    out.flush();
    return ExitCode.SUCCEEDED;
  }

  private void print(String line) {
    out.printJson(line);
    out.flush();
  }

  /**
   * Prints the log files of a task, or a list of the logs of all tasks.
   *
   * @param task name of the task; null for the list
   */
  public ExitCode printLogs(@Nullable String task)
      throws IOException, YarnException, InvalidJobException {
    String owner = view.owner();
    Map<TaskId, TaskFact.Allocated> lastContainers = new TreeMap<>();
    view.read(owner, event -> noteContainer(event, lastContainers));
    if (task == null) {
      if (lastContainers.isEmpty() && view.findReport() == null) {
        throw view.unknownApplication(owner);
      }
      if (lastContainers.isEmpty()) {
        out.println(view.noTaskMessage(owner));
      }
      LogLinks links = view.links();
      boolean ended = view.hasEnded();
      lastContainers.forEach(
          (name, allocated) ->
              out.println(
                  name
                      + "  "
                      + (ended
                          ? links.logReference(name, allocated.logUrl())
                          : allocated.logUrl())));
      return ExitCode.SUCCEEDED;
    }
    TaskFact.Allocated allocated =
        lastContainers.entrySet().stream()
            .filter(entry -> entry.getKey().toString().equals(task))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(null);
    if (lastContainers.isEmpty()) {
      throw view.unknownTask(owner);
    }
    if (allocated == null) {
      throw new InvalidJobException(
          List.of(
              view.application().id()
                  + " has no task "
                  + task
                  + "; it has "
                  + lastContainers.keySet()));
    }
    TaskLogs logs = view.taskLogs(owner);
    for (String file : FILES) {
      out.println("==> " + task + " " + file + " <==");
      out.flush();
      logs.print(allocated, file, out);
    }
    return ExitCode.SUCCEEDED;
  }

  /**
   * Updates the last container of each task if the event allocates a container or resizes the gang;
   * ignores other events. Keeps the containers of tasks that no longer exist.
   */
  static void noteContainer(JobEvent event, Map<TaskId, TaskFact.Allocated> lastContainers) {
    if (event.type() == JobEvent.Type.TASK_ALLOCATED) {
      TaskFact.Allocated allocated = TaskFact.Allocated.of(event);
      lastContainers.put(allocated.task(), allocated);
    } else if (event.type() == JobEvent.Type.GANG_RESIZED) {
      ResizeFact.Resized.of(event).moveToNewTasks(lastContainers);
    }
  }

  /**
   * Prints the stdout and stderr of the user's programs while they write.
   *
   * @param task name of the task; null for all tasks
   */
  public ExitCode followLogs(@Nullable String task)
      throws IOException, YarnException, InvalidJobException, InterruptedException {
    String owner = view.owner();
    LogFollower follower =
        new LogFollower(
            view.tail(owner),
            view.taskLogs(owner),
            task == null ? null : parseTask(task),
            out,
            view.application()::pause);
    if (!follower.followToEnd(view::hasEnded)) {
      throw view.unknownTask(owner);
    }
    return ExitCode.SUCCEEDED;
  }

  private static TaskId parseTask(String name) throws InvalidJobException {
    try {
      return TaskId.parse(name);
    } catch (IllegalArgumentException e) {
      throw new InvalidJobException(List.of(e.getMessage()));
    }
  }
}
