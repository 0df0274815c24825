package io.tony.am;

import io.tony.am.rpc.RpcPort;
import io.tony.am.yarn.Registration;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;

/**
 * What an ApplicationMaster can do before it has its event log: it takes a port, and registers with
 * YARN. Whoever calls it then is kept waiting until it serves.
 */
final class Arrival {
  /** Where it is called, and what YARN said. */
  record Arrived(RpcPort.Bound port, Registration registration) {}

  private final FutureTask<Arrived> task;

  /**
   * Nothing is done yet.
   *
   * @param registered what is done as soon as YARN knows this ApplicationMaster
   */
  Arrival(Configuration conf, RpcPort port, Consumer<Registration> registered) {
    // Hadoop's clients write into theirs, and another thread uses the other one.
    Configuration own = new YarnConfiguration(conf);
    task =
        new FutureTask<>(
            () -> {
              RpcPort.Bound bound = port.bind();
              Registration registration =
                  Registration.of(own, port.host(), bound.address().getPort());
              registered.accept(registration);
              return new Arrived(bound, registration);
            });
  }

  /** Begins on another thread. */
  void begin() {
    Thread thread = new Thread(task, "arrival");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Returns when YARN knows this ApplicationMaster.
   *
   * @throws io.tony.model.NoFreePort before YARN was told of it
   */
  Arrived await() throws IOException, YarnException, InterruptedException {
    task.run(); // nothing, where it has begun
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      } else if (e.getCause() instanceof YarnException cause) {
        throw cause;
      } else if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException("a defect: " + e.getCause(), e.getCause());
    }
  }
}
