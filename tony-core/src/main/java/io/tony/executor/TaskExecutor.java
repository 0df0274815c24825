package io.tony.executor;

import io.tony.container.Submitter;
import io.tony.executor.MasterLink.MasterLost;
import io.tony.protocol.TonyToken;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process that stands by one task in its container: puts the parts together, and exits. */
public final class TaskExecutor {
  private static final Logger LOG = LoggerFactory.getLogger(TaskExecutor.class);

  /** The ApplicationMaster needs this executor no more; all was reported. */
  static final int EXIT_DONE = 0;

  /** This program failed; YARN reports the container's end. */
  static final int EXIT_BROKEN = 1;

  /** The ApplicationMaster is gone; the user's process was ended. */
  static final int EXIT_MASTER_LOST = 2;

  /** YARN kills what has not ended 250 ms after SIGTERM, unless it is configured otherwise. */
  static final int TERMINATION_MS = 200;

  private TaskExecutor() {}

  public static void main(String[] args) {
    int exit = EXIT_BROKEN;
    try {
      ExecutorSettings settings = ExecutorSettings.from(System.getenv());
      Path logs = Path.of(System.getenv(Environment.LOG_DIRS.name()).replaceFirst(",.*", ""));
      YarnConfiguration conf = new YarnConfiguration();
      exit = Submitter.act(conf, () -> live(settings, logs, conf));
    } catch (IOException | RuntimeException e) {
      LOG.error("The executor cannot go on", e);
    } catch (InterruptedException e) {
      LOG.error("The executor was interrupted", e);
    }
    // All is reported and the process group is gone: nothing is left that a slow exit would serve.
    Runtime.getRuntime().halt(exit);
  }

  private static int live(ExecutorSettings settings, Path logs, YarnConfiguration conf)
      throws IOException, InterruptedException {
    Path folder = Path.of("").toAbsolutePath();
    ProgramTokens tokens = ProgramTokens.write(folder, UserGroupInformation.getCurrentUser());
    try (MasterLink master = MasterLink.open(settings, token(), tokens, conf)) {
      TaskLife life =
          new TaskLife(
              settings,
              master,
              folder,
              start -> ProgramRun.start(start, settings, tokens, folder, logs));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> terminate(life), "terminate"));
      life.live();
      return EXIT_DONE;
    } catch (MasterLost e) {
      LOG.error("The ApplicationMaster is lost; the task has ended", e);
      return EXIT_MASTER_LOST;
    }
  }

  private static void terminate(TaskLife life) {
    try {
      life.terminate(Duration.ofMillis(2 * TERMINATION_MS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("unchecked") // the alias says what it is
  private static Token<TonyToken> token() throws IOException {
    Token<? extends TokenIdentifier> token =
        UserGroupInformation.getCurrentUser().getCredentials().getToken(new Text(TonyToken.KIND));
    if (token == null) {
      throw new IOException("the container's credentials hold no " + TonyToken.KIND);
    }
    return (Token<TonyToken>) token;
  }
}
