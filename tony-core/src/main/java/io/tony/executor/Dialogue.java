package io.tony.executor;

import io.tony.executor.MasterLink.MasterLost;
import io.tony.model.TaskKey;
import io.tony.protocol.proto.TonyProtos.ExitedRequest;
import io.tony.protocol.proto.TonyProtos.HeartbeatRequest;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a task says to its ApplicationMaster, and is told by it, under the attempt that it is
 * registered as. Used by the one thread that owns the task's life, which waits for nothing here but
 * a registration: answers and failures become signals.
 */
final class Dialogue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Dialogue.class);

  private final MasterLink master;
  private final Consumer<Signal> signals;
  private final Calls reports;
  private final Calls commands;
  private TaskKey key;

  Dialogue(MasterLink master, TaskKey key, Consumer<Signal> signals) {
    this.master = master;
    this.key = key;
    this.signals = signals;
    this.reports = new Calls("reports", cause -> signals.accept(new Signal.CallFailed(cause)));
    this.commands = new Calls("commands", cause -> signals.accept(new Signal.CallFailed(cause)));
  }

  void register(String host, TaskPorts ports) throws MasterLost, InterruptedException {
    master.register(key, host, ports.task(), ports.tensorBoard());
    LOG.info("{} registered with port {}", key, ports.task());
  }

  /** From now on the task is another attempt. */
  void registerAs(int attempt, String host, TaskPorts ports)
      throws MasterLost, InterruptedException {
    key = new TaskKey(key.task(), attempt, key.container());
    register(host, ports);
  }

  /** Asks for the next command, which becomes a signal. To be done once after each. */
  void awaitCommand(boolean started) {
    TaskKey attempt = key;
    commands.submit(() -> signals.accept(new Signal.Commanded(master.await(attempt, started))));
  }

  void started(long pid) {
    TaskKey attempt = key;
    reports.submit(() -> master.started(attempt, pid));
  }

  void heartbeat(HeartbeatRequest.Builder news) {
    TaskKey attempt = key;
    reports.submit(() -> master.heartbeat(attempt, news));
  }

  void tensorBoardListens() {
    TaskKey attempt = key;
    reports.submit(() -> master.tensorBoardListens(attempt));
  }

  void exited(ExitedRequest.Builder how) {
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
  }
}
