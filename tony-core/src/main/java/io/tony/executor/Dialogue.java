package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import io.tony.executor.rpc.Beat;
import io.tony.executor.rpc.Command;
import io.tony.executor.rpc.Exit;
import io.tony.executor.rpc.Known;
import io.tony.executor.rpc.Registration;
import io.tony.executor.rpc.StacksTold;
import io.tony.model.TaskId;
import io.tony.model.TaskKey;
import io.tony.process.Spawner;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What a task says to its ApplicationMaster, and is told by it, under the attempt that it is
 * registered as. Used by the one thread that owns the task's life, which waits for nothing here but
 * a registration, and what is to be known before it: answers and failures become signals.
 */
final class Dialogue implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(Dialogue.class);

  /**
   * Calls of the ApplicationMaster, made one after the other by a thread of their own: who owns the
   * task's life waits for none of them. When one fails for good, that is told once, and those after
   * it are not made.
   */
  private static final class Calls implements AutoCloseable {
    /** One call, with what is to be done with its answer. */
    interface Call {
      void make() throws MasterLost, InterruptedException;
    }

    private final ExecutorService thread;
    private final Consumer<Throwable> onFailure;
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean failed;

    /**
     * Of no calls yet.
     *
     * @param thread runs them, and is there already: a call that is submitted needs no new one
     * @param onFailure gets what a call threw, on that thread
     */
    Calls(ExecutorService thread, Consumer<Throwable> onFailure) {
      this.onFailure = onFailure;
      this.thread = thread;
    }

    void submit(Call call) {
      open.incrementAndGet();
      thread.execute(() -> make(call));
    }

    private void make(Call call) {
      try {
        if (!failed) {
          call.make();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (MasterLost | RuntimeException | Error e) { // a pool would pass over an Error
        failed = true;
        onFailure.accept(e);
      } finally {
        open.decrementAndGet();
      }
    }

    /** True until all that was submitted has been made. */
    boolean busy() {
      return open.get() > 0;
    }

    /** Waits until all that was submitted has been made. False when a call failed for good. */
    boolean drain() throws InterruptedException {
      CountDownLatch drained = new CountDownLatch(1);
      thread.execute(drained::countDown);
      drained.await();
      return !failed;
    }

    /** Waits until all that was submitted has been made or given up; takes no more. */
    void finish() throws InterruptedException {
      thread.shutdown();
      while (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
        // a call ends when its own patience does
      }
    }

    @Override
    public void close() {
      thread.shutdownNow();
    }
  }

  private final MasterLink master;
  private final Consumer<Signal> signals;
  private final Calls reports;
  private final Calls commands;
  private final Calls looks;
  private final Programs programs;
  private final TaskTunnels tunnels;
  private TaskKey key;
  private Known known = Known.NOTHING; // used by the thread that awaits commands
  private long askedMs; // when the attempt was asked for a checkpoint last; 0 for none

  /**
   * With nothing said yet.
   *
   * @param programs are looked at when somebody wants to know where the task's stands
   * @param tunnels are opened when somebody wants to look in
   * @param spawner starts the threads that make the calls
   */
  Dialogue(
      MasterLink master,
      TaskKey key,
      Programs programs,
      TaskTunnels tunnels,
      Consumer<Signal> signals,
      Spawner spawner)
      throws IOException {
    this.programs = programs;
    this.tunnels = tunnels;
    this.master = master;
    this.key = key;
    this.signals = signals;
    this.reports =
        new Calls(spawner.single("reports"), cause -> signals.accept(new Signal.CallFailed(cause)));
    this.commands =
        new Calls(
            spawner.single("commands"), cause -> signals.accept(new Signal.CallFailed(cause)));
    this.looks =
        new Calls(
            spawner.single("looks"),
            cause -> LOG.warn("nobody is told where the task stands", cause));
  }

  void register(String host, TaskPorts ports) throws MasterLost, InterruptedException {
    master.register(Registration.of(key, host, ports.task(), ports.tensorBoard()));
    LOG.info(key + " registered with port " + ports.task());
  }

  /**
   * From now on the task is another attempt, or another task. What was said of the one before is
   * known by then, the checkpoints that were kept above all: by them it is decided from which one
   * the next goes on.
   */
  void registerAs(Command.Restart next, String host, TaskPorts ports)
      throws MasterLost, InterruptedException {
    if (reports.drain()) { // else its failure is a signal
      key = key(next);
      askedMs = 0;
      register(host, ports);
    }
  }

  /** Which task this executor stands by. */
  TaskId task() {
    return key.task();
  }

  /** Asks for the next command, which becomes a signal. To be done once after each. */
  void awaitCommand(boolean started) {
    awaitCommand(key, started);
  }

  /** The same when it was asked for a checkpoint, which is known from now on. */
  void awaitCommandAfter(Command.AskForCheckpoint known) {
    askedMs = known.askedMs();
    awaitCommand(true);
  }

  /**
   * The same for an attempt that is registered later: it may be told to stop, or to become yet
   * another one, before it is told to start.
   */
  void awaitCommandAs(Command.Restart next) {
    awaitCommand(key(next), false);
  }

  private TaskKey key(Command.Restart next) {
    return new TaskKey(
        new TaskId(key.task().role(), next.index()), next.attempt(), key.container());
  }

  private void awaitCommand(TaskKey attempt, boolean started) {
    long asked = askedMs;
    commands.submit(
        () -> {
          Command command = master.await(attempt, started, asked, known);
          while (isAside(attempt, command)) {
            command = master.await(attempt, started, asked, known);
          }
          signals.accept(new Signal.Commanded(command));
        });
  }

  /** Whether the task's course does not depend on it; what it wants goes on beside that. */
  private boolean isAside(TaskKey attempt, Command command) {
    if (command instanceof Command.AskForStacks question) {
      known = new Known(question.question(), known.tunnel());
      tellStacks(attempt, question);
      return true;
    } else if (command instanceof Command.OpenTunnel wanted) {
      known = new Known(known.stacks(), wanted.tunnel());
      tunnels.open(wanted);
      return true;
    }
    return false;
  }

  /** Nothing of the task's course depends on it; it takes a while, and others may ask again. */
  private void tellStacks(TaskKey attempt, Command.AskForStacks question) {
    looks.submit(
        () -> {
          StacksTold told = programs.look(question);
          try {
            reports.submit(() -> master.heartbeat(attempt, Beat.stacks(told)));
          } catch (RejectedExecutionException e) {
            LOG.info("the task ends, and nobody is told where it stood");
          }
        });
  }

  void started(long pid) {
    TaskKey attempt = key;
    reports.submit(() -> master.started(attempt, pid));
  }

  void heartbeat(Beat news) {
    TaskKey attempt = key;
    reports.submit(() -> master.heartbeat(attempt, news));
  }

  /**
   * Tells where the program stood, and waits until that is known: a registration follows. Nothing
   * is told where it is null: nobody had asked.
   */
  void stood(String where) throws MasterLost, InterruptedException {
    if (where != null) {
      master.heartbeat(key, Beat.stood(where));
    }
  }

  void exited(Exit how) {
    TaskKey attempt = key;
    reports.submit(() -> master.exited(attempt, how));
  }

  /** True until all that was to be said has been said. */
  boolean speaks() {
    return reports.busy();
  }

  /** Waits until all that was to be said has been said, or failed for good. */
  void finish() throws InterruptedException {
    reports.finish();
  }

  @Override
  public void close() {
    reports.close();
    commands.close();
    looks.close();
  }
}
