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

/** The process that stands by one task in its container: puts the parts together, and exits. */
public final class TaskExecutor {
  private static final ExecutorLog LOG = new ExecutorLog(TaskExecutor.class);

  /** The ApplicationMaster needs this executor no more; all was reported. */
  static final int EXIT_DONE = 0;

  /** This program failed; YARN reports the container's end. */
  static final int EXIT_BROKEN = 1;

  /** The ApplicationMaster is gone; the user's process was ended. */
  static final int EXIT_MASTER_LOST = 2;

  /** YARN kills what has not ended 250 ms after SIGTERM, unless it is configured otherwise. */
  private static final Duration TERMINATION_GRACE = Duration.ofMillis(200);

  private TaskExecutor() {}

  public static void main(String[] args) {
    Thread.setDefaultUncaughtExceptionHandler(TaskExecutor::handleUncaught);
    int exit = EXIT_BROKEN;
    try {
      exit = run(System.getenv());
    } catch (InterruptedException e) {
      LOG.error("the executor was interrupted", e);
    } catch (Throwable e) {
      LOG.error("the executor cannot go on", e);
    } finally {
      // All is reported and the process group is gone: nothing is left that a slow exit would
      // serve.
      Runtime.getRuntime().halt(exit);
    }
  }

  /**
   * A thread has ended in the middle of its work. An executor that is half dead would be waited
   * for: it ends, the program ends with it, and YARN tells the ApplicationMaster. In a thread of a
   * library, only what the JVM itself lacks is so grave.
   */
  private static void handleUncaught(Thread thread, Throwable trouble) {
    boolean broken = trouble instanceof VirtualMachineError || Spawner.isOurs(thread);
    try {
      LOG.error("the thread " + thread.getName() + " has ended", trouble);
    } finally {
      if (broken) {
        Runtime.getRuntime().halt(EXIT_BROKEN);
      }
    }
  }

  private static int run(Map<String, String> environment) throws IOException, InterruptedException {
    AwakeClock.get()
        .onStandstill(
            pause -> LOG.warn("this process stood still for " + pause.toMillis() + " ms"));
    ExecutorSettings settings = ExecutorSettings.from(environment);
    Path logs = Path.of(environment.get("LOG_DIRS").replaceFirst(",.*", ""));
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
   * The container's tokens. Their file is deleted: the user's program, which is of the same
   * operating-system user, shall not act with all of them.
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
