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

/**
 * Asks a file system that may fail for a moment, or not answer: again and again, for so long at
 * most.
 */
final class Patience {
  private static final Logger LOG = LoggerFactory.getLogger(Patience.class);

  /** A file system that does not answer keeps them. */
  private static final int MAX_ASKERS = 64;

  /** What is asked. */
  interface Question<T> {
    T answer() throws IOException;
  }

  private final UserGroupInformation own;
  private final Duration limit;
  private final Duration pause;
  private final ExecutorService asker;

  /** Asks as this user: whoever calls may do so for an executor. */
  Patience(UserGroupInformation own, Duration limit, Duration pause) {
    this(own, limit, pause, Spawner.SYSTEM.pool("checkpoints", MAX_ASKERS));
  }

  /** {@code asker} has the threads that ask. */
  Patience(UserGroupInformation own, Duration limit, Duration pause, ExecutorService asker) {
    this.own = own;
    this.limit = limit;
    this.pause = pause;
    this.asker = asker;
  }

  /**
   * The answer.
   *
   * @throws IOException with the last failure, or one that says that there was no answer
   */
  <T> T ask(Question<T> question) throws IOException {
    long deadline = AwakeClock.nanoTime() + limit.toNanos();
    Future<T> answer = null;
    try {
      answer = submit(() -> untilAnswered(question, deadline), deadline);
      return AwakeClock.await(answer, limit);
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
      if (answer != null) {
        answer.cancel(true); // of no effect where it was given
      }
    }
  }

  private <T> Future<T> submit(Callable<T> asking, long deadline)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return asker.submit(asking);
      } catch (RejectedExecutionException e) { // there is no thread for the moment
        if (isOver(deadline)) {
          throw new IOException(e.getMessage(), e);
        }
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }

  private boolean isOver(long deadline) {
    return AwakeClock.nanoTime() + pause.toNanos() > deadline;
  }

  /** The same once, on the caller's thread. */
  <T> T askOnce(Question<T> question) throws IOException, InterruptedException {
    return own.doAs((PrivilegedExceptionAction<T>) question::answer);
  }

  private <T> T untilAnswered(Question<T> question, long deadline)
      throws IOException, InterruptedException {
    while (true) {
      try {
        return askOnce(question);
      } catch (AccessControlException | UnsupportedFileSystemException e) {
        throw e; // it would only say so again
      } catch (IOException e) {
        if (isOver(deadline)) {
          throw e;
        }
        LOG.warn("The checkpoints are asked for again: {}", e.toString());
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }
}
