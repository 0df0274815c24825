package io.tony.azkaban.mini;

import static org.junit.Assert.assertTrue;

/** The TonY executors of the job {@code train}, by what its log tells. */
final class Executors {
  private Executors() {}

  /** How often the program of a task was started. */
  static long starts(RecordedEvents events, String task) {
    return events.told("train").stream().filter(event -> isStart(event, task)).count();
  }

  private static boolean isStart(ToldEvent event, String task) {
    return event.type().equals("TASK_STARTED") && event.task().equals(task);
  }

  /** SIGKILL to the one whose task was started once, and was told. */
  static void kill(RecordedEvents events, String task) {
    long program =
        events.told("train").stream()
            .filter(event -> isStart(event, task))
            .findFirst()
            .orElseThrow()
            .number("pid");
    ProcessHandle process = ProcessHandle.of(program).orElseThrow();
    while (!isExecutor(process.info())) {
      process = process.parent().orElseThrow();
    }
    assertTrue(process.destroyForcibly());
  }

  /** The shells that YARN starts name its class, too. */
  private static boolean isExecutor(ProcessHandle.Info process) {
    return process.command().orElse("").endsWith("java")
        && process.commandLine().orElse("").contains("io.tony.executor.TaskExecutor");
  }
}
