package io.tony.am.checkpoint;

import io.tony.clock.AwakeClock;
import io.tony.process.Spawner;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls a file system that may fail temporarily or not respond; retries up to a time limit. */
final class FileSystemRetries {
  private static final Logger LOG = LoggerFactory.getLogger(FileSystemRetries.class);

  /** Maximum number of threads. A call to an unresponsive file system blocks its thread. */
  private static final int MAX_THREADS = 64;

  /** A call to the file system. */
  interface FileSystemCall<T> {
    T run() throws IOException;
  }

  private final UserGroupInformation user;
  private final Duration limit;
  private final Duration pause;
  private final ExecutorService threads;

  /**
   * {@code user} is the user for all calls: the calling thread may be handling an executor's
   * request and run as another user. {@code limit} is the maximum time of a call with its retries,
   * {@code pause} the time between two tries.
   */
  FileSystemRetries(UserGroupInformation user, Duration limit, Duration pause) {
    this(user, limit, pause, Spawner.SYSTEM.newThreadPool("checkpoints", MAX_THREADS));
  }

  /** Like the other constructor; {@code threads} runs the calls. */
  FileSystemRetries(
      UserGroupInformation user, Duration limit, Duration pause, ExecutorService threads) {
    this.user = user;
    this.limit = limit;
    this.pause = pause;
    this.threads = threads;
  }

  /**
   * Makes the call, retries it after failures, and returns its result.
   *
   * @throws IOException the last failure; or, if the file system did not respond within the limit,
   *     an exception that says so
   */
  <T> T call(FileSystemCall<T> call) throws IOException {
    long deadline = AwakeClock.nanoTime() + limit.toNanos();
    Future<T> future = null;
    try {
      future = submit(() -> callWithRetries(call, deadline), deadline);
      return AwakeClock.await(future, limit);
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + limit.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof RuntimeException unexpected) {
        throw unexpected;
      }
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      if (future != null) {
        // Has no effect on a finished call.
        future.cancel(true);
      }
    }
  }

  private <T> Future<T> submit(Callable<T> task, long deadline)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return threads.submit(task);
      } catch (RejectedExecutionException e) { // no thread is available now: try again later
        if (isPast(deadline)) {
          throw new IOException(e.getMessage(), e);
        }
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }

  private boolean isPast(long deadline) {
    return AwakeClock.nanoTime() + pause.toNanos() > deadline;
  }

  /**
   * Like {@link #call}, but makes the call on the calling thread, without retries and without a
   * time limit.
   */
  <T> T callOnce(FileSystemCall<T> call) throws IOException, InterruptedException {
    return user.doAs((PrivilegedExceptionAction<T>) call::run);
  }

  private <T> T callWithRetries(FileSystemCall<T> call, long deadline)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return callOnce(call);
      } catch (AccessControlException | UnsupportedFileSystemException e) {
        // A retry would fail in the same way.
        throw e;
      } catch (IOException e) {
        if (isPast(deadline)) {
          throw e;
        }
        LOG.warn("The checkpoints are asked for again: {}", e.toString());
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }
}
