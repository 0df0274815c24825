package io.tony.load;

import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.HandledSideCommands;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.HeartbeatReply;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.rpc.Line;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.rpc.Reply;
import io.tony.executor.rpc.Request;
import io.tony.executor.rpc.Swarm;
import io.tony.executor.rpc.TaskRegistration;
import io.tony.executor.rpc.UsageSample;
import io.tony.model.TaskKey;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Executors that do all that a real one says, and nothing else: they register, wait for their
 * command, tell that their program has started, beat with a sample each time, start again as they
 * are told, and look for a successor of their ApplicationMaster with the pauses of the real ones.
 * All belongs to the swarm's thread, but for what is counted.
 */
final class Executors {
  private static final String PROTOCOL = "io.tony.protocol.TaskProtocol";
  private static final long LONGEST_PAUSE_MS = 5_000;
  private static final long SAMPLE_MS = 5_000;

  final Tally tally = new Tally();
  final AtomicInteger registered = new AtomicInteger();
  final AtomicInteger started = new AtomicInteger();
  final AtomicInteger awaited = new AtomicInteger(); // calls that are held
  final AtomicInteger lost = new AtomicInteger();
  final AtomicInteger ended = new AtomicInteger();
  final AtomicInteger longestStart = new AtomicInteger();

  private final Swarm swarm;
  private final JobToken token;
  private final Consumer<TaskKey> containerEnded;
  private final Map<String, Executor> byContainer = new HashMap<>();
  private volatile InetSocketAddress master;
  private volatile long intervalMillis;

  /** {@code containerEnded} is told when an executor's process is gone. */
  Executors(Swarm swarm, JobToken token, Consumer<TaskKey> containerEnded) {
    this.swarm = swarm;
    this.token = token;
    this.containerEnded = containerEnded;
  }

  void masterAt(InetSocketAddress address, long heartbeatIntervalMillis) {
    master = address;
    intervalMillis = heartbeatIntervalMillis;
  }

  void launch(TaskKey key) {
    Executor executor = new Executor(key);
    byContainer.put(key.container(), executor);
    executor.connect();
  }

  void kill(TaskKey key) {
    Executor executor = byContainer.get(key.container());
    if (executor != null) {
      executor.over();
    }
  }

  /** The programs of all end with 0, or that of one with something else. */
  void exitAll() {
    Map.copyOf(byContainer).values().forEach(executor -> executor.programEnds(0));
  }

  void exit(String role, int index, int code) {
    for (Executor executor : byContainer.values()) {
      if (executor.key.task().role().equals(role) && executor.key.task().index() == index) {
        executor.programEnds(code);
      }
    }
  }

  String containers() {
    return String.join(" ", byContainer.keySet());
  }

  private final class Executor {
    private TaskKey key;
    private Line line; // null while there is none
    private boolean runs;
    private boolean over;
    private boolean beats;
    private long pauseMillis;
    private long sampledAtNanos = System.nanoTime();

    Executor(TaskKey key) {
      this.key = key;
    }

    void connect() {
      long begin = System.nanoTime();
      swarm.connect(
          master,
          token,
          PROTOCOL,
          connection -> {
            tally.add("login", System.nanoTime() - begin);
            line = connection;
            pauseMillis = 0;
            register();
          },
          this::broken);
    }

    private void broken(IOException why) {
      if (over) {
        return;
      }
      if (line != null) {
        lost.incrementAndGet();
        line = null;
      }
      pauseMillis =
          pauseMillis == 0
              ? intervalMillis
              : Math.min(2 * pauseMillis, Math.max(pauseMillis, LONGEST_PAUSE_MS));
      long pause = ThreadLocalRandom.current().nextLong(pauseMillis / 2, pauseMillis + 1);
      swarm.schedule(TimeUnit.MILLISECONDS.toNanos(pause), this::connect);
    }

    private void call(String kind, Request request, Consumer<Reply> then) {
      long begin = System.nanoTime();
      line.call(
          request,
          answer -> {
            tally.add(kind, System.nanoTime() - begin);
            then.accept(answer);
          });
    }

    private void register() {
      int index = key.task().index();
      TaskRegistration task =
          TaskRegistration.of(
              key,
              "node-%04d.cluster.example".formatted(index % 1000),
              20_000 + 7_919 * index % 40_000, // as of no order
              0);
      call(
          "register",
          Request.register(runs ? task.withPid(4_000 + index) : task, HeartbeatReply.NONE),
          answer -> {
            registered.incrementAndGet();
            await();
            if (!beats) {
              beats = true;
              beatLater();
            }
          });
    }

    private void await() {
      awaited.incrementAndGet();
      line.call(
          Request.awaitCommand(key, runs, 0, HandledSideCommands.NONE),
          answer -> commanded(answer.command()));
    }

    private void commanded(ExecutorCommand command) {
      if (command instanceof ExecutorCommand.Start start) {
        runs = true;
        longestStart.accumulateAndGet(
            start.environment().values().stream().mapToInt(String::length).sum(), Math::max);
        call(
            "started",
            Request.started(key, 4_000 + key.task().index()),
            answer -> started.incrementAndGet());
        await();
      } else if (command instanceof ExecutorCommand.Restart again) {
        runs = false;
        key = new TaskKey(key.task(), again.attempt(), key.container());
        register();
      } else if (command instanceof ExecutorCommand.Stop) {
        if (runs) {
          runs = false;
          call(
              "exited", Request.exited(key, ProgramExit.withoutProgram(143, "")), answer -> over());
        } else {
          over();
        }
      } else {
        await();
      }
    }

    void programEnds(int code) {
      runs = false;
      call("exited", Request.exited(key, ProgramExit.withoutProgram(code, "")), answer -> {});
    }

    void over() {
      if (!over) {
        over = true;
        byContainer.remove(key.container());
        ended.incrementAndGet();
        if (line != null) {
          line.close();
        }
        containerEnded.accept(key);
      }
    }

    private void beatLater() {
      swarm.schedule(TimeUnit.MILLISECONDS.toNanos(intervalMillis), this::beat);
    }

    private void beat() {
      if (over) {
        return;
      }
      if (line != null) {
        long now = System.nanoTime();
        boolean samples = runs && now - sampledAtNanos >= TimeUnit.MILLISECONDS.toNanos(SAMPLE_MS);
        if (samples) {
          sampledAtNanos = now;
        }
        UsageSample sample =
            samples ? new UsageSample(3_000, 3_500, 80, 1.75, SAMPLE_MS, null) : null;
        String progress = samples && key.task().index() == 0 ? "step " + now : null;
        call(
            "heartbeat",
            Request.heartbeat(key, Heartbeat.of(progress, sample), 0),
            answer -> answer.heartbeatReply());
      }
      beatLater();
    }
  }
}
