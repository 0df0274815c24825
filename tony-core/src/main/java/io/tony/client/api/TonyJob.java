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

/**
 * A job on the cluster, followed by a thread of its own until the job ends. Created by {@link
 * TonyClient}. For use by any thread.
 *
 * <p>Example:
 *
 * <pre>{@code
 * TonyJob job = tony.submit(request, JobListener.NONE);
 * job.result().thenAccept(result -> System.out.println(result.status() + ": " + result.message()));
 * }</pre>
 */
public final class TonyJob {
  private final CompletableFuture<String> application = new CompletableFuture<>();
  private final CompletableFuture<JobResult> result = new CompletableFuture<>();
  private final UserGroupInformation user;
  private volatile JobRun run;

  /**
   * Creates a job that is not followed yet.
   *
   * @param user the user as whom the job is submitted and ended
   */
  TonyJob(UserGroupInformation user) {
    this.user = user;
  }

  /** The action by which the thread submits or follows the job. */
  interface RunAction {
    ExitCode run(JobRun run) throws Exception;
  }

  void follow(JobRun begun, RunAction action) {
    run = begun;
    try {
      ExitCode code = action.run(begun);
      fail(new IOException("how the job ended is not known to this client (" + code + ")"));
    } catch (Exception | Error e) {
      fail(e); // so that no caller waits forever
    }
  }

  /** Fails the futures that are not complete; no effect on the others. */
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

  /** Waits until the application is on the cluster; returns this job. */
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

  /** Returns YARN's id of the application, as in YARN's pages and {@code tony logs}; never null. */
  public String application() {
    return application.join();
  }

  /**
   * Returns a future of the job's result. A failure of the job is a result, too. The future fails
   * if this client cannot find out how the job ended, for example because YARN is unreachable for
   * too long. Completing or cancelling the returned future has no effect on the job.
   */
  public CompletableFuture<JobResult> result() {
    return result.copy();
  }

  /**
   * Waits for the end of the job.
   *
   * @return the result; never null
   * @throws IOException if this client cannot find out how the job ended
   * @throws InterruptedException if the thread is interrupted; the job goes on
   */
  public JobResult await() throws IOException, InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw asIoException(e.getCause());
    }
  }

  /**
   * Ends the job. Its programs have {@code tony.task.stop-grace-ms} (in milliseconds) to end by
   * themselves. Returns when YARN shows the job as ended, or immediately if it has ended before.
   *
   * @param who name of the caller, for the job's event log and its result; not null
   * @throws IOException if it is unknown whether the job has ended
   */
  public void kill(String who) throws IOException {
    if (!user.doAs((PrivilegedAction<Boolean>) () -> run.cancel(who))) {
      throw new IOException("whether " + application.getNow("the job") + " has ended is not known");
    }
  }
}
