package io.tony.executor;

import io.tony.executor.link.MasterLink;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.rpc.ExecutorCommand;
import io.tony.executor.rpc.HandledSideCommands;
import io.tony.executor.rpc.Heartbeat;
import io.tony.executor.rpc.ProgramExit;
import io.tony.executor.rpc.StackReport;
import io.tony.executor.rpc.TaskRegistration;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.tunnel.TaskTunnels;
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
final class MasterClient implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(MasterClient.class);

  /**
   * Calls of the ApplicationMaster, made one after the other by a thread of their own: who owns the
   * task's life waits for none of them. When one fails for good, that is told once, and those after
   * it are not made.
   */
  private static final class CallQueue implements AutoCloseable {
    /** One call, with what is to be done with its answer. */
    interface Call {
      void make() throws MasterLostException, InterruptedException;
    }

    private final ExecutorService thread;
    private final Consumer<Throwable> onFailure;
    private final AtomicInteger openCallCount = new AtomicInteger();
    private volatile boolean failed;

    /**
     * Of no calls yet.
     *
     * @param thread runs them, and is there already: a call that is submitted needs no new one
     * @param onFailure gets what a call threw, on that thread
     */
    CallQueue(ExecutorService thread, Consumer<Throwable> onFailure) {
      this.onFailure = onFailure;
      this.thread = thread;
    }

    void submit(Call call) {
      openCallCount.incrementAndGet();
      thread.execute(() -> make(call));
    }

    private void make(Call call) {
      try {
        if (!failed) {
          call.make();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (MasterLostException
          | RuntimeException
          | Error e) { // a pool would pass over an Error
        failed = true;
        onFailure.accept(e);
      } finally {
        openCallCount.decrementAndGet();
      }
    }

    /** True until all that was submitted has been made. */
    boolean isBusy() {
      return openCallCount.get() > 0;
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
  private final Consumer<ExecutorEvent> events;
  private final CallQueue reports;
  private final CallQueue commands;
  private final CallQueue stackRequests;
  private final ProgramLauncher launcher;
  private final TaskTunnels tunnels;
  private TaskKey key;
  private HandledSideCommands handledCommands =
      HandledSideCommands.NONE; // used by the thread that awaits commands
  private long askedMs; // when the attempt was asked for a checkpoint last; 0 for none

  /**
   * With nothing said yet.
   *
   * @param launcher are looked at when somebody wants to know where the task's stands
   * @param tunnels are opened when somebody wants to look in
   * @param spawner starts the threads that make the calls
   */
  MasterClient(
      MasterLink master,
      TaskKey key,
      ProgramLauncher launcher,
      TaskTunnels tunnels,
      Consumer<ExecutorEvent> events,
      Spawner spawner)
      throws IOException {
    this.launcher = launcher;
    this.tunnels = tunnels;
    this.master = master;
    this.key = key;
    this.events = events;
    this.reports =
        new CallQueue(
            spawner.newSingleThreadExecutor("reports"),
            cause -> events.accept(new ExecutorEvent.CallFailed(cause)));
    this.commands =
        new CallQueue(
            spawner.newSingleThreadExecutor("commands"),
            cause -> events.accept(new ExecutorEvent.CallFailed(cause)));
    this.stackRequests =
        new CallQueue(
            spawner.newSingleThreadExecutor("looks"),
            cause -> LOG.warn("nobody is told where the task stands", cause));
  }

  void register(String host, TaskPorts ports) throws MasterLostException, InterruptedException {
    master.register(TaskRegistration.of(key, host, ports.task(), ports.tensorBoard()));
    LOG.info(key + " registered with port " + ports.task());
  }

  /**
   * From now on the task is another attempt, or another task. What was said of the one before is
   * known by then, the checkpoints that were kept above all: by them it is decided from which one
   * the next goes on.
   */
  void registerAs(ExecutorCommand.Restart next, String host, TaskPorts ports)
      throws MasterLostException, InterruptedException {
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
  void awaitCommandAfter(ExecutorCommand.AskForCheckpoint request) {
    askedMs = request.askedMs();
    awaitCommand(true);
  }

  /**
   * The same for an attempt that is registered later: it may be told to stop, or to become yet
   * another one, before it is told to start.
   */
  void awaitCommandAs(ExecutorCommand.Restart next) {
    awaitCommand(key(next), false);
  }

  private TaskKey key(ExecutorCommand.Restart next) {
    return new TaskKey(
        new TaskId(key.task().role(), next.index()), next.attempt(), key.container());
  }

  private void awaitCommand(TaskKey attempt, boolean started) {
    long asked = askedMs;
    commands.submit(
        () -> {
          ExecutorCommand command = master.awaitCommand(attempt, started, asked, handledCommands);
          while (handleSideCommand(attempt, command)) {
            command = master.awaitCommand(attempt, started, asked, handledCommands);
          }
          events.accept(new ExecutorEvent.CommandReceived(command));
        });
  }

  /** Whether the task's course does not depend on it; what it wants goes on beside that. */
  private boolean handleSideCommand(TaskKey attempt, ExecutorCommand command) {
    if (command instanceof ExecutorCommand.AskForStacks stacksRequest) {
      handledCommands =
          new HandledSideCommands(stacksRequest.requestId(), handledCommands.tunnelId());
      reportStacks(attempt, stacksRequest);
      return true;
    } else if (command instanceof ExecutorCommand.OpenTunnel tunnelRequest) {
      handledCommands =
          new HandledSideCommands(handledCommands.stacksRequestId(), tunnelRequest.tunnelId());
      tunnels.open(tunnelRequest);
      return true;
    }
    return false;
  }

  /** Nothing of the task's course depends on it; it takes a while, and others may ask again. */
  private void reportStacks(TaskKey attempt, ExecutorCommand.AskForStacks request) {
    stackRequests.submit(
        () -> {
          StackReport report = launcher.readStacks(request);
          try {
            reports.submit(() -> master.sendHeartbeat(attempt, Heartbeat.ofStacks(report)));
          } catch (RejectedExecutionException e) {
            LOG.info("the task ends, and nobody is told where it stood");
          }
        });
  }

  void reportStart(long pid) {
    TaskKey attempt = key;
    reports.submit(() -> master.reportStart(attempt, pid));
  }

  void sendHeartbeat(Heartbeat heartbeat) {
    TaskKey attempt = key;
    reports.submit(() -> master.sendHeartbeat(attempt, heartbeat));
  }

  /**
   * Tells where the program stood, and waits until that is known: a registration follows. Nothing
   * is told where it is null: nobody had asked.
   */
  void reportHangLocation(String location) throws MasterLostException, InterruptedException {
    if (location != null) {
      master.sendHeartbeat(key, Heartbeat.ofHangLocation(location));
    }
  }

  void reportExit(ProgramExit exit) {
    TaskKey attempt = key;
    reports.submit(() -> master.reportExit(attempt, exit));
  }

  /** True until all that was to be said has been said. */
  boolean hasPendingReports() {
    return reports.isBusy();
  }

  /** Waits until all that was to be said has been said, or failed for good. */
  void finish() throws InterruptedException {
    reports.finish();
  }

  @Override
  public void close() {
    reports.close();
    commands.close();
    stackRequests.close();
  }
}
