package io.tony.client.api;

import io.tony.client.application.ExitCode;
import io.tony.client.input.InvalidJobException;
import io.tony.client.submit.JobRun;
import io.tony.event.JobFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.security.UserGroupInformation;

/** A job on the cluster, followed by a thread of its own until it ends. For use by any thread. */
public final class TonyJob {
  private final CompletableFuture<String> application = new CompletableFuture<>();
  private final CompletableFuture<JobResult> result = new CompletableFuture<>();
  private final UserGroupInformation user;
  private volatile JobRun run;

  /** {@code user} is as whom it was submitted, and is ended. */
  TonyJob(UserGroupInformation user) {
    this.user = user;
  }

  /** What the thread does that follows it. */
  interface RunAction {
    ExitCode run(JobRun run) throws Exception;
  }

  void follow(JobRun begun, RunAction action) {
    run = begun;
    try {
      ExitCode code = action.run(begun);
      fail(new IOException("how the job ended is not known to this client (" + code + ")"));
    } catch (Exception | Error e) {
      fail(e); // nobody is to wait for what does not come
    }
  }

  /** No effect on what is known by then. */
  private void fail(Throwable cause) {
    application.completeExceptionally(cause);
    result.completeExceptionally(cause);
  }

  void onEvent(JobEvent event) {
    if (event.type() == JobEvent.Type.JOB_SUBMITTED) {
      application.complete(JobFact.Submitted.of(event).application());
    } else if (event.type() == JobEvent.Type.JOB_FINISHED) {
      result.complete(JobFact.Finished.of(event).result());
    }
  }

  /** Returns once the application is on the cluster. */
  TonyJob submitted() throws InvalidJobException, IOException, InterruptedException {
    try {
      application.get();
      return this;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InvalidJobException invalid) {
        throw invalid;
      }
      throw asIoException(e.getCause());
    }
  }

  private static IOException asIoException(Throwable cause) {
    return cause instanceof IOException known ? known : new IOException(cause);
  }

  /** YARN's id of it, as its pages and {@code tony logs} know it. */
  public String application() {
    return application.join();
  }

  /**
   * How it ends, whether well or not; a failure of the job is a result, too. It fails where this
   * client cannot tell how the job ended, such as when YARN is out of reach for too long.
   */
  public CompletableFuture<JobResult> result() {
    return result.copy();
  }

  /**
   * Waits for its end.
   *
   * @throws IOException where this client cannot tell it
   */
  public JobResult await() throws IOException, InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw asIoException(e.getCause());
    }
  }

  /**
   * Ends it: its programs get {@code tony.task.stop-grace-ms} to end by themselves. Returns when
   * YARN shows it as ended; at once where it has ended before.
   *
   * @param who is named in the job's event log and in its result
   * @throws IOException where it cannot be told whether it has ended
   */
  public void kill(String who) throws IOException {
    if (!user.doAs((PrivilegedAction<Boolean>) () -> run.cancel(who))) {
      throw new IOException("whether " + application.getNow("the job") + " has ended is not known");
    }
  }
}
