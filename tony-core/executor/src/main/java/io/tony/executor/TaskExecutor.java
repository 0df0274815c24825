package io.tony.executor;

import io.tony.clock.AwakeClock;
import io.tony.executor.bridge.HadoopCalls;
import io.tony.executor.bridge.HadoopClassPath;
import io.tony.executor.bridge.HadoopStore;
import io.tony.executor.link.MasterFile;
import io.tony.executor.link.MasterLink;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.settings.ExecutorLog;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.executor.token.TokenFile;
import io.tony.process.Spawner;
import io.tony.protocol.TokenKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * Main class of the executor, the process that runs one task in its container. Creates the parts of
 * the executor, connects them and sets the exit code.
 */
public final class TaskExecutor {
  private static final ExecutorLog LOG = new ExecutorLog(TaskExecutor.class);

  /**
   * Exit code: everything was reported, and the ApplicationMaster no longer needs this executor.
   */
  static final int EXIT_DONE = 0;

  /**
   * Exit code: the executor itself failed, without a report of its own. The ApplicationMaster
   * learns from YARN that the container has ended.
   */
  static final int EXIT_FAILURE = 1;

  /**
   * Exit code: no ApplicationMaster could be reached any more, and the user's program was ended.
   */
  static final int EXIT_MASTER_LOST = 2;

  /**
   * Time for the program to end by itself after SIGTERM. By default YARN kills a container 250 ms
   * after SIGTERM.
   */
  private static final Duration TERMINATION_GRACE = Duration.ofMillis(200);

  private TaskExecutor() {}

  public static void main(String[] args) {
    Thread.setDefaultUncaughtExceptionHandler(TaskExecutor::onUncaught);
    int exit = EXIT_FAILURE;
    try {
      exit = run(System.getenv());
    } catch (InterruptedException e) {
      LOG.error("the executor was interrupted", e);
    } catch (Throwable e) {
      LOG.error("the executor cannot go on", e);
    } finally {
      // halt, not exit: everything is reported and the program has ended, so shutdown hooks, which
      // exit would run, have nothing to do.
      Runtime.getRuntime().halt(exit);
    }
  }

  /**
   * Handles an uncaught exception. If the thread is one of the executor's own, ends this process,
   * because the executor cannot work without the thread, and the ApplicationMaster would wait for
   * it. The program then ends, too, and YARN reports the container's end to the ApplicationMaster.
   * If the thread belongs to a library, ends this process only at a {@link VirtualMachineError}.
   */
  private static void onUncaught(Thread thread, Throwable error) {
    boolean broken = error instanceof VirtualMachineError || Spawner.isOurs(thread);
    try {
      LOG.error("the thread " + thread.getName() + " has ended", error);
    } finally {
      if (broken) {
        Runtime.getRuntime().halt(EXIT_FAILURE);
      }
    }
  }

  private static int run(Map<String, String> environment) throws IOException, InterruptedException {
    AwakeClock.get()
        .onStandstill(pause -> LOG.warn("this process was paused for " + pause.toMillis() + " ms"));
    ExecutorSettings settings = ExecutorSettings.from(environment);
    Path logs =
        Path.of(Objects.requireNonNull(environment.get("LOG_DIRS")).replaceFirst(",.*", ""));
    Path folder = Path.of("").toAbsolutePath();
    TokenFile containerTokens = takeTokens(environment);
    JobToken token = containerTokens.find(TokenKinds.JOB);
    if (token == null) {
      throw new IOException("the container's tokens hold no " + TokenKinds.JOB);
    }
    ProgramTokens tokens = ProgramTokens.write(folder, containerTokens);
    Spawner spawner = Spawner.SYSTEM;
    HadoopCalls hadoop = new HadoopCalls(HadoopClassPath.of(environment.get("CLASSPATH")));
    MasterFile masterFile = new MasterFile(settings.masterFile(), hadoop, tokens);
    TaskCheckpoints checkpoints =
        new TaskCheckpoints(
            folder, new HadoopStore(hadoop, tokens, settings.key().container()), spawner);
    try (MasterLink master = new MasterLink(settings, token, tokens, masterFile, spawner);
        ProgramLauncher launcher = new ProgramLauncher(settings, tokens, folder, logs, spawner)) {
      ExecutorLoop loop =
          new ExecutorLoop(settings, master, folder, logs, launcher, checkpoints, spawner);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> terminate(loop), "terminate"));
      loop.run();
      return EXIT_DONE;
    } catch (MasterLostException e) {
      LOG.error("the ApplicationMaster is lost; the task has ended", e);
      return EXIT_MASTER_LOST;
    }
  }

  /**
   * Reads the container's tokens and deletes their file, because the user's program runs as the
   * same operating-system user and must not get some of these tokens.
   */
  private static TokenFile takeTokens(Map<String, String> environment) throws IOException {
    String name = environment.get(ProgramTokens.VARIABLE);
    if (name == null) {
      throw new IOException(ProgramTokens.VARIABLE + " is not set: YARN has left no tokens");
    }
    Path file = Path.of(name);
    byte[] tokens = Files.readAllBytes(file);
    try {
      Files.delete(file);
    } catch (IOException e) {
      LOG.warn("the user's program can read the tokens of this process: " + e);
    }
    return TokenFile.read(tokens);
  }

  private static void terminate(ExecutorLoop loop) {
    LOG.info("SIGTERM: the program is to end");
    try {
      loop.terminate(TERMINATION_GRACE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
