package io.tony.client.api;

import io.tony.client.application.ExitCode;
import io.tony.client.input.InvalidJobException;
import io.tony.client.submit.JobRun;
import io.tony.event.JobFact;
import io.tony.model.JobEvent;
import io.tony.model.JobResult;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * A job on the cluster, which a background thread follows until the job ends. Created by {@link
 * TonyClient}. Thread-safe.
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
  private volatile @Nullable JobRun run; // null until follow() is called

  /**
   * Creates a job that is not followed yet.
   *
   * @param user the user as whom the job is submitted and killed
   */
  TonyJob(UserGroupInformation user) {
    this.user = user;
  }

  /**
   * What the job's thread does: submits the job and follows it to its end, or follows an
   * application that was submitted before.
   */
  interface RunAction {
    ExitCode run(JobRun run) throws Exception;
  }

  void follow(JobRun begun, RunAction action) {
    run = begun;
    try {
      ExitCode code = action.run(begun);
      fail(new IOException("how the job ended is not known to this client (" + code + ")"));
    } catch (Exception | Error e) {
      // Catch errors, too: otherwise threads that wait for the futures would wait forever.
      fail(e);
    }
  }

  /** Completes the futures exceptionally, except those that are already complete. */
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

  /**
   * Waits until YARN has accepted the application; returns this job.
   *
   * @throws InvalidJobException if the job cannot be submitted as it is
   * @throws IOException if the submission fails for another reason
   */
  TonyJob submitted() throws InvalidJobException, IOException, InterruptedException {
    try {
      application.get();
      return this;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof InvalidJobException invalid) {
        throw invalid;
      }
      throw asIoException(e);
    }
  }

  private static IOException asIoException(ExecutionException failure) {
    Throwable cause = failure.getCause();
    return cause instanceof IOException known ? known : new IOException(cause);
  }

  /**
   * Returns YARN's id of the application, for use in YARN's pages and {@code tony logs}; never
   * null.
   */
  public String application() {
    return application.join();
  }

  /**
   * Returns a future of the job's result. If the job fails, the future completes normally, with a
   * result that describes the failure. The future completes exceptionally if this client cannot
   * find out how the job ended, for example because YARN is unreachable for too long. Completing or
   * cancelling the returned future has no effect on the job.
   */
  public CompletableFuture<JobResult> result() {
    return result.copy();
  }

  /**
   * Waits for the end of the job.
   *
   * @return the result, also if the job has failed; never null
   * @throws IOException if this client cannot find out how the job ended
   * @throws InterruptedException if the thread is interrupted while it waits; the job continues
   */
  public JobResult await() throws IOException, InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw asIoException(e);
    }
  }

  /**
   * Kills the job. The user's programs have {@code tony.task.stop-grace-ms} (in milliseconds) to
   * end after SIGTERM. Returns when YARN shows the job as ended; immediately if it ended before.
   *
   * @param who name of the caller, for the job's event log and its result; not null
   * @throws IOException if it is unknown whether the job has ended
   */
  public void kill(String who) throws IOException {
    JobRun submitted = Objects.requireNonNull(run);
    if (!user.doAs((PrivilegedAction<Boolean>) () -> submitted.cancel(who))) {
      throw new IOException("whether " + application.getNow("the job") + " has ended is not known");
    }
  }
}
