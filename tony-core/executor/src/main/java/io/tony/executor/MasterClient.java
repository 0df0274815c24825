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
import org.jspecify.annotations.Nullable;

/**
 * Sends reports about this executor's task to the ApplicationMaster and receives commands from it,
 * for the attempt that is registered at the time. Used only by the thread that runs the state
 * machine. Only {@link #register}, {@link #registerAs}, {@link #reportHangLocation} and {@link
 * #finish} block; all other methods return at once, their calls are made on other threads, and
 * received commands and failed calls are queued as {@link ExecutorEvent}s.
 */
final class MasterClient implements AutoCloseable {
  private static final ExecutorLog LOG = new ExecutorLog(MasterClient.class);

  /**
   * Queue of calls to the ApplicationMaster, made in order by one background thread, so that the
   * submitting thread never blocks. When a call fails (after its retries), the failure is reported
   * once and all later calls are skipped.
   */
  private static final class CallQueue implements AutoCloseable {
    /** A call to the ApplicationMaster, including the handling of its answer. */
    interface Call {
      void make() throws MasterLostException, InterruptedException;
    }

    private final ExecutorService thread;
    private final Consumer<Throwable> onFailure;
    private final AtomicInteger openCallCount = new AtomicInteger();
    private volatile boolean failed;

    /**
     * Creates an empty queue.
     *
     * @param thread runs the calls; its thread is already started, so that {@link #submit} cannot
     *     fail for lack of threads
     * @param onFailure called on that thread, with the exception or error of the first call that
     *     fails
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
      } catch (MasterLostException | RuntimeException | Error e) {
        // Errors are caught, too, because the executor service would swallow them.
        failed = true;
        onFailure.accept(e);
      } finally {
        openCallCount.decrementAndGet();
      }
    }

    /** Returns true if a submitted call is still waiting or in progress. */
    boolean isBusy() {
      return openCallCount.get() > 0;
    }

    /**
     * Waits until every call submitted so far has been made or skipped. Returns true if all calls
     * of this queue have succeeded, false if one has failed.
     */
    boolean drain() throws InterruptedException {
      CountDownLatch drained = new CountDownLatch(1);
      thread.execute(drained::countDown);
      drained.await();
      return !failed;
    }

    /** Accepts no further calls and waits until every submitted call has been made or skipped. */
    void finish() throws InterruptedException {
      thread.shutdown();
      while (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
        // keep waiting: each call ends at its own time limit
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
  // last stacks request and last tunnel request that were handled; used only by the thread of the
  // commands queue
  private HandledSideCommands handledCommands = HandledSideCommands.NONE;
  // time of the last checkpoint request of this attempt, in ms since 1970; 0 if none
  private long askedMs;

  /**
   * Creates a client that has sent nothing yet.
   *
   * @param launcher reads the stacks of the running program when the ApplicationMaster requests
   *     them
   * @param tunnels opens tunnels when the ApplicationMaster requests them
   * @param events receives commands and failed calls; called on other threads
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
            spawner.newSingleThreadExecutor("stack-reader"),
            cause -> LOG.warn("where the task hangs is not reported", cause));
  }

  void register(String host, TaskPorts ports) throws MasterLostException, InterruptedException {
    master.register(TaskRegistration.of(key, host, ports.task(), ports.tensorBoard()));
    LOG.info(key + " registered with port " + ports.task());
  }

  /**
   * Registers the task as the next attempt, possibly with another index. First waits until all
   * reports of the previous attempt are sent: they tell which checkpoints were saved, and the next
   * attempt resumes from one of these. Does nothing if a report could not be sent.
   */
  void registerAs(ExecutorCommand.Restart next, String host, TaskPorts ports)
      throws MasterLostException, InterruptedException {
    // If a report has failed, its CallFailed event is queued already: nothing is left to do here.
    if (reports.drain()) {
      key = key(next);
      askedMs = 0;
      register(host, ports);
    }
  }

  /** Returns the role and index of the task that this executor runs at present. */
  TaskId task() {
    return key.task();
  }

  /**
   * Requests the next command for the current attempt; the command is queued as an event when it
   * comes. Call once at the start and once after each command.
   *
   * @param started true if the attempt must not be sent a start command, because it has already
   *     received one or can no longer run
   */
  void awaitCommand(boolean started) {
    awaitCommand(key, started);
  }

  /**
   * Like {@link #awaitCommand(boolean)}, after a checkpoint request. The call also tells the
   * ApplicationMaster that this request has arrived.
   */
  void awaitCommandAfter(ExecutorCommand.AskForCheckpoint request) {
    askedMs = request.askedMs();
    awaitCommand(true);
  }

  /**
   * Like {@link #awaitCommand(boolean)}, for the next attempt, which is registered only when the
   * previous program has ended. Until then, the ApplicationMaster can send a stop or another
   * restart command.
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

  /**
   * Handles a stacks or tunnel request, neither of which affects the task's state, and returns
   * true. Returns false for any other command.
   */
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

  /**
   * Reads the program's stacks and reports them, on the thread of {@code stackRequests}: reading
   * takes a while, and other commands may arrive meanwhile.
   */
  private void reportStacks(TaskKey attempt, ExecutorCommand.AskForStacks request) {
    stackRequests.submit(
        () -> {
          StackReport report = launcher.readStacks(request);
          try {
            reports.submit(() -> master.sendHeartbeat(attempt, Heartbeat.ofStacks(report)));
          } catch (RejectedExecutionException e) {
            LOG.info("the task ends, and where it hung is not reported");
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
   * Reports where the program was when it was ended because the gang hung. Blocks until the
   * ApplicationMaster has received the report, because the next attempt is registered right
   * afterwards. Does nothing if {@code location} is null: no stacks were requested.
   */
  void reportHangLocation(@Nullable String location)
      throws MasterLostException, InterruptedException {
    if (location != null) {
      master.sendHeartbeat(key, Heartbeat.ofHangLocation(location));
    }
  }

  void reportExit(ProgramExit exit) {
    TaskKey attempt = key;
    reports.submit(() -> master.reportExit(attempt, exit));
  }

  /** Returns true if a report is waiting to be sent or being sent. */
  boolean hasPendingReports() {
    return reports.isBusy();
  }

  /**
   * Waits until every submitted report has been sent or has failed. Afterwards no report is
   * accepted.
   */
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
