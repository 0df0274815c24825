package io.tony.azkaban.viewer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The events of a job of 10,000 tasks in its first minutes, some 66,000: all start, some tell their
 * progress, some are lost, and then the whole gang is started again.
 */
final class ManyTasks {

  private static final int WORKERS = 9_900;
  private static final int TELLING = 100;
  private static final List<String> TASKS =
      IntStream.range(0, 10_000)
          .mapToObj(i -> i < WORKERS ? "worker:" + i : "ps:" + (i - WORKERS))
          .toList();

  private final List<String> events = new ArrayList<>();
  private final JobLogFile log;

  private ManyTasks(JobLogFile log) {
    this.log = log;
  }

  /** In JSON. The last task to be told of is ps:7, which fails, and then somebody stops the job. */
  static List<String> events(JobLogFile log) throws IOException {
    ManyTasks job = new ManyTasks(log);
    job.tell("AM_STARTED", null, "attempt", "1", "host", "node-1", "tasks", "10000");
    job.tell(
        "GANG_REQUESTED",
        null,
        "resources",
        WORKERS + " × worker (8 GiB, 2 vcores), 100 × ps (8 GiB, 2 vcores)");
    job.begin(TASKS);
    for (int round = 0; round < 60; round++) {
      job.train(round);
    }
    job.fail("worker:5");
    job.tell("GANG_RESTARTED", "worker:5", "kind", "LOST", "message", "node-1 is lost");
    job.begin(TASKS);
    job.fail("ps:7");
    job.tell("STOP_REQUESTED", null, "who", "ada");
    return job.events;
  }

  private void begin(List<String> tasks) throws IOException {
    for (String task : tasks) {
      String node = "node-" + Math.floorMod(task.hashCode(), 1000) + ".cluster.example";
      String container = "container_1795279724695_0001_01_000003";
      String address = "http://" + node + ":8042/node/containerlogs/" + container + "/ada";
      tell("TASK_ALLOCATED", task, "container", container, "node", node, "log", address);
    }
    for (String task : tasks) {
      tell("TASK_REGISTERED", task, "endpoint", "node:40123", "tensorBoardPort", "0");
    }
    for (String task : tasks) {
      tell("TASK_STARTED", task, "pid", "12345");
    }
    tell("GANG_RUNNING", null);
  }

  private void train(int round) throws IOException {
    tell("METRICS", null, summary());
    for (String task : TASKS.subList(0, TELLING)) {
      tell("TASK_PROGRESS", task, "text", "step " + round + "/60 loss=" + 1.0 / (round + 1));
    }
    if (round % 6 == 0) {
      String lost = TASKS.get(round * 31);
      fail(lost);
      tell("TASK_RESTARTED", lost, "kind", "LOST", "message", "node-1 is lost", "where", "new");
      begin(List.of(lost));
    }
  }

  private static String[] summary() {
    List<String> details = new ArrayList<>();
    for (String role : List.of("worker", "ps")) {
      for (String which : List.of("min", "median", "max")) {
        details.add(role + " " + which);
        details.add("4321 1.43");
      }
    }
    return details.toArray(new String[0]);
  }

  private void fail(String task) throws IOException {
    tell("TASK_FAILED", task, "kind", "LOST", "message", "node-1 is lost", "node", "node-1");
  }

  private void tell(String type, String task, String... details) throws IOException {
    events.add(log.json(type, task, details));
  }
}
