package io.tony.client.follow;

import io.tony.client.source.InvalidJobException;
import io.tony.fact.SizeFact;
import io.tony.fact.TaskFact;
import io.tony.model.JobEvent;
import io.tony.model.TaskId;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.yarn.exceptions.YarnException;

/** What an application has written: {@code tony logs} and {@code tony events}. */
public final class ApplicationLogs {
  private static final List<String> FILES = List.of("stdout", "stderr", "executor.log");

  private final Inspected inspected;
  private final JobLog out;

  public ApplicationLogs(Inspected inspected, JobLog out) {
    this.inspected = inspected;
    this.out = out;
  }

  /**
   * The lines of its event log.
   *
   * @param follow whether also those that are still to come
   */
  public ExitCode events(boolean follow)
      throws IOException, YarnException, InvalidJobException, InterruptedException {
    String owner = inspected.owner();
    EventStream lines = new EventStream(inspected.tail(owner), (line, event) -> show(line));
    if (follow) {
      lines.follow(inspected::hasEnded, inspected.application()::pause);
    } else if (lines.read() == 0) {
      throw inspected.unknown(owner);
    }
    out.flush();
    return ExitCode.SUCCEEDED;
  }

  private void show(String line) {
    out.json(line);
    out.flush();
  }

  /** {@code task} is null for the list of all. */
  public ExitCode logs(String task) throws IOException, YarnException, InvalidJobException {
    String owner = inspected.owner();
    Map<TaskId, TaskFact.Allocated> last = new TreeMap<>();
    inspected.read(owner, event -> noteContainer(event, last));
    if (task == null) {
      if (last.isEmpty() && inspected.anyReport() == null) {
        throw inspected.unknown(owner);
      }
      LogLinks links = inspected.links();
      boolean ended = inspected.hasEnded();
      last.forEach(
          (name, allocated) ->
              out.println(
                  name
                      + "  "
                      + (ended ? links.afterTheEnd(name, allocated.log()) : allocated.log())));
      return ExitCode.SUCCEEDED;
    }
    TaskFact.Allocated allocated =
        last.entrySet().stream()
            .filter(one -> one.getKey().toString().equals(task))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(null);
    if (last.isEmpty()) {
      throw inspected.noTask(owner);
    }
    if (allocated == null) {
      throw new InvalidJobException(
          List.of(
              inspected.application().id() + " has no task " + task + "; it has " + last.keySet()));
    }
    TaskLogs logs = inspected.taskLogs(owner);
    for (String file : FILES) {
      out.println("==> " + task + " " + file + " <==");
      out.flush();
      logs.print(allocated, file, out);
    }
    return ExitCode.SUCCEEDED;
  }

  /** Of the next event. The map holds the last container of every task, also of those gone. */
  static void noteContainer(JobEvent event, Map<TaskId, TaskFact.Allocated> last) {
    if (event.type() == JobEvent.Type.TASK_ALLOCATED) {
      last.put(event.task(), TaskFact.Allocated.of(event));
    } else if (event.type() == JobEvent.Type.GANG_RESIZED) {
      SizeFact.Resized.of(event).moveIn(last);
    }
  }

  /**
   * What programs write, as they do.
   *
   * @param task null for all
   */
  public ExitCode followLogs(String task)
      throws IOException, YarnException, InvalidJobException, InterruptedException {
    String owner = inspected.owner();
    LogFollowing following =
        new LogFollowing(
            inspected.tail(owner),
            inspected.taskLogs(owner),
            task == null ? null : task(task),
            out,
            inspected.application()::pause);
    if (!following.toTheEnd(inspected::hasEnded)) {
      throw inspected.noTask(owner);
    }
    return ExitCode.SUCCEEDED;
  }

  private static TaskId task(String name) throws InvalidJobException {
    try {
      return TaskId.parse(name);
    } catch (IllegalArgumentException e) {
      throw new InvalidJobException(List.of(e.getMessage()));
    }
  }
}
