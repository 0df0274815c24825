package io.tony.load;

import io.tony.config.TonyConfig;
import io.tony.container.JvmCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One load of so many executors, phase by phase; prints each as a line of JSON. */
public final class LoadRun {
  private final int tasks;
  private final int seconds;
  private final Load load;
  private long bytesBefore;

  private LoadRun(int tasks, int seconds, Load load) {
    this.tasks = tasks;
    this.seconds = seconds;
    this.load = load;
  }

  /** How many, for how many seconds they beat, the framework, the folder, and that of the log. */
  public static void main(String[] args) throws Exception {
    int tasks = Integer.parseInt(args[0]);
    Path folder = Files.createDirectories(Path.of(args[3]));
    Map<String, String> values = new HashMap<>();
    values.put("tony.worker.instances", args[0]);
    values.put("tony.worker.command", "python3 train.py --epochs 10");
    values.put("tony.application.framework", args[2]);
    values.put("tony.gang.max-restarts", "3");
    String more = System.getenv("TONY_LOAD_MASTER_OPTS");
    List<String> options = masterOptions(more == null ? "" : more);
    try (Load load = new Load(values, folder, args[4], options)) {
      new LoadRun(tasks, Integer.parseInt(args[1]), load).run();
    }
    System.exit(0);
  }

  /** Those of a real one's JVM. */
  static List<String> masterOptions(String more) {
    TonyConfig config = TonyConfig.builder().build();
    List<String> command =
        List.of(JvmCommand.of(config, 512, more, LoadMaster.class, "am.log").split(" ", -1));
    return command.subList(2, command.indexOf(LoadMaster.class.getName()));
  }

  private void run() throws IOException, InterruptedException {
    Executors executors = load.executors;
    String ready = load.startMaster(1);
    long begin = load.firstLaunchNanos();
    long registered = load.await("the gang", begin, () -> executors.registered.get() >= tasks);
    long started = load.await("the start", begin, () -> executors.started.get() >= tasks);
    print("start", ready, Map.of("registeredMs", registered, "startedMs", started), false);

    long since = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    print("heartbeats", ready, Map.of("ms", System.nanoTime() - since), true);

    executors.started.set(0);
    since = System.nanoTime();
    load.swarm.execute(() -> executors.exit("worker", tasks / 2, 1));
    long again = load.await("the restart", since, () -> executors.started.get() >= tasks);
    print("restart", ready, Map.of("ms", again), false);

    executors.registered.set(0);
    since = System.nanoTime();
    load.killMaster();
    ready = load.startMaster(2);
    long up = System.nanoTime() - since;
    long back = load.await("the executors", since, () -> executors.registered.get() >= tasks);
    print("failover", ready, Map.of("readyMs", up, "ms", back), true);

    since = System.nanoTime();
    load.swarm.execute(executors::exitAll);
    String result = load.finished();
    long ended = load.await("the client", since, load.follower::finished);
    System.err.println(result);
    print("end", ready, Map.of("ms", ended), null);
  }

  private void print(String phase, String ready, Map<String, Long> nanos, Boolean collected)
      throws InterruptedException {
    String stats = collected == null ? load.nextStats() : load.stats(false);
    String heap = collected != null && collected ? load.stats(true) : "null";
    long bytes = load.swarm.bytesSent.get() + load.swarm.bytesReceived.get();
    StringBuilder times = new StringBuilder();
    nanos.forEach((name, value) -> times.append("\"%s\":%d,".formatted(name, value / 1_000_000)));
    System.out.println(
        "{\"tasks\":%d,\"phase\":\"%s\",\"ready\":\"%s\",%s\"bytes\":%d,\"lost\":%d,\"cpuMs\":%d,\"awaits\":%d,\"longestStart\":%d,\"calls\":%s,\"client\":%s,\"master\":%s,\"afterGc\":%s}"
            .formatted(
                tasks,
                phase,
                ready,
                times,
                bytes - bytesBefore,
                load.executors.lost.get(),
                Footprint.cpuMillis(),
                load.executors.awaited.getAndSet(0),
                load.executors.longestStart.get(),
                load.executors.tally.take(),
                load.follower.take(),
                stats,
                heap));
    bytesBefore = bytes;
  }
}
