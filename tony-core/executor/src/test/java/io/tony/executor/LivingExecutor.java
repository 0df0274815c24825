package io.tony.executor;

import io.tony.executor.bridge.HadoopCalls;
import io.tony.executor.bridge.HadoopClassPath;
import io.tony.executor.link.MasterFile;
import io.tony.executor.link.MasterLink;
import io.tony.executor.link.MasterLink.MasterLostException;
import io.tony.executor.program.ProgramLauncher;
import io.tony.executor.rpc.JobToken;
import io.tony.executor.settings.ExecutorSettings;
import io.tony.executor.token.ProgramTokens;
import io.tony.executor.token.TokenFile;
import io.tony.process.Spawner;
import io.tony.protocol.JobKey;
import io.tony.protocol.TonyToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.security.token.Token;

/** An executor in this JVM, put together as {@link TaskExecutor} does it in a container. */
public final class LivingExecutor {
  /** Makes the checkpoints of its programs. */
  public interface Checkpoints {
    TaskCheckpoints with(HadoopCalls hadoop, ProgramTokens tokens);
  }

  private final ExecutorLoop life;
  private final Thread owner;

  private LivingExecutor(ExecutorLoop life, Thread owner) {
    this.life = life;
    this.owner = owner;
  }

  /**
   * Begins its life, in a thread of its own.
   *
   * @param folder its working directory, also for its logs
   * @param end is completed with the life, or with what ended it
   */
  public static LivingExecutor begin(
      ExecutorSettings settings,
      JobKey jobKey,
      Path folder,
      Checkpoints checkpoints,
      Spawner spawner,
      CompletableFuture<Void> end)
      throws IOException {
    ProgramTokens tokens = ProgramTokens.write(folder, TokenFile.NONE);
    HadoopCalls hadoop = new HadoopCalls(HadoopClassPath.of(System.getProperty("java.class.path")));
    Token<TonyToken> token = jobKey.token(TonyToken.Audience.EXECUTOR);
    MasterLink link =
        new MasterLink(
            settings,
            new JobToken(token.getIdentifier(), token.getPassword()),
            tokens,
            new MasterFile(settings.masterFile(), hadoop, tokens),
            spawner);
    ProgramLauncher programs = new ProgramLauncher(settings, tokens, folder, folder, spawner);
    ExecutorLoop life =
        new ExecutorLoop(
            settings, link, folder, folder, programs, checkpoints.with(hadoop, tokens), spawner);
    Thread owner =
        new Thread(
            () -> {
              try (link;
                  programs) {
                life.run();
                end.complete(null);
              } catch (IOException
                  | MasterLostException
                  | InterruptedException
                  | RuntimeException
                  | Error e) {
                end.completeExceptionally(e);
              }
            },
            "owner");
    owner.start();
    return new LivingExecutor(life, owner);
  }

  public ExecutorLoop life() {
    return life;
  }

  /** Ends it, and waits until its thread has. */
  public void end() throws InterruptedException {
    owner.interrupt();
    owner.join();
  }
}
